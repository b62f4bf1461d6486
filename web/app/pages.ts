// What the pages around the playground need: the theme, and the search of the
// gallery.

import { installGallery } from "./gallery.ts";
import { installTheme } from "./theme.ts";

installTheme();
installGallery();
