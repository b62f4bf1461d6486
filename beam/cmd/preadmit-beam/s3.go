//go:build s3

package main

import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
