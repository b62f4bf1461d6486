//go:build site

package embedded

import _ "embed"

//go:embed site.zip
var siteArchive []byte

func init() { archive = siteArchive }
