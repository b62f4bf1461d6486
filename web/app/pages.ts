// What the pages around the playground need: the theme, the form of diffs, the search of
// the gallery and of the documentation, and buttons that copy code.

import { installCopyCode } from "./copy-code.ts";
import { installDiffKind } from "./diff-kind.ts";
import { installDocsSearch } from "./docs-search.ts";
import { installGallery } from "./gallery.ts";
import { installOfflinePages } from "./offline-pages.ts";
import { installTheme } from "./theme.ts";
import { installTourProgress } from "./tour-progress.ts";

installTheme();
installDiffKind();
installGallery();
installDocsSearch();
installCopyCode();
void installOfflinePages();
installTourProgress();
