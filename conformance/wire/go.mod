module github.com/preadmit/preadmit/conformance/wire

go 1.26.0
