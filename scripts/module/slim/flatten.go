package main

import (
	"go/scanner"
	"go/token"
	"strings"
)

// flatten writes a file on one line, without comments. The linker keeps a table
// from machine code to files and lines, for the traces of panics, which is some
// tenth of the engine; the page shows no traces. With one line and one name for all
// files the table is next to nothing. Directives need lines of their own.
func flatten(text []byte) []byte {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	var out strings.Builder
	inPackage := false
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			out.WriteByte('\n')
			return []byte(out.String())
		case tok == token.COMMENT:
			if strings.HasPrefix(literal, "//go:") && !strings.HasPrefix(literal, "//go:generate") {
				out.WriteString("\n" + strings.TrimRight(literal, "\r") + "\n")
				if inPackage {
					out.WriteString("//line x:1\n")
				}
			}
			continue
		case tok == token.PACKAGE && !inPackage:
			inPackage = true
			out.WriteString("\n//line x:1\n")
		}
		switch {
		case tok == token.SEMICOLON:
			out.WriteByte(';')
		case literal != "":
			out.WriteString(literal)
		default:
			out.WriteString(tok.String())
		}
		out.WriteByte(' ')
	}
}
