// What the pages around the playground need: the theme, the form of diffs, and
// the search of the gallery.

import { installDiffKind } from "./diff-kind.ts";
import { installGallery } from "./gallery.ts";
import { installTheme } from "./theme.ts";

installTheme();
installDiffKind();
installGallery();
