package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// Serve answers cases, that many at a time: one Case per line of in, one Answer per line of out, in
// any order. An error of answer is the answer's.
func Serve(in io.Reader, out io.Writer, together int, answer func(Case) (Answer, error)) error {
	cases, answers := make(chan Case), make(chan Answer)
	var workers sync.WaitGroup
	for range together {
		workers.Go(func() {
			for c := range cases {
				a, err := answer(c)
				if err != nil {
					a = Answer{Error: err.Error()}
				}
				a.ID = c.ID
				answers <- a
			}
		})
	}
	read := make(chan error, 1)
	go func() {
		read <- each(in, cases)
		close(cases)
		workers.Wait()
		close(answers)
	}()
	encoder := json.NewEncoder(out)
	var failed error
	for a := range answers {
		if err := encoder.Encode(a); err != nil && failed == nil {
			failed = err
		}
	}
	return errors.Join(<-read, failed)
}

// each hands on every case of an input.
func each(in io.Reader, cases chan<- Case) error {
	decoder := json.NewDecoder(bufio.NewReader(in))
	for {
		var c Case
		if err := decoder.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		cases <- c
	}
}
