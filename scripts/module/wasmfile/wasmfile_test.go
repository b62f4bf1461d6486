package wasmfile

import (
	"bytes"
	"errors"
	"maps"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, n := range []int{0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8192, -8193, 1<<31 - 1, -1 << 31} {
		b := AppendSigned(nil, n)
		if got, length := Signed(append(b, 0xff)); got != n || length != len(b) {
			t.Errorf("signed %d: % x is %d, %d bytes", n, b, got, length)
		}
		if n < 0 {
			continue
		}
		b = AppendUnsigned(nil, n)
		if got, length := Unsigned(append(b, 0xff)); got != n || length != len(b) {
			t.Errorf("unsigned %d: % x is %d, %d bytes", n, b, got, length)
		}
	}
}

// A module with two functions, of which the second has a name.
func module() Module {
	names := []byte(namePrefix)
	names = append(names, 1, 5, 1, 3, 2, 'o', 'k')
	return Module{Sections: []Section{
		{Kind: Import, Body: []byte{2, 1, 'a', 1, 'b', 0, 0, 1, 'a', 1, 'c', 0, 0}},
		{Kind: Code, Body: CodeOf([][]byte{{0, OpEnd}, {1, 2, 0x7f, OpEnd}})},
		{Kind: Custom, Body: names},
	}}
}

func TestModule(t *testing.T) {
	m, err := Read(module().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Bytes(), module().Bytes()) {
		t.Errorf("% x became % x", module().Bytes(), m.Bytes())
	}
	if got := m.Imports(); got != 2 {
		t.Errorf("%d imports", got)
	}
	if got := m.Names(); !maps.Equal(got, map[int]string{3: "ok"}) {
		t.Errorf("names %v", got)
	}
	bodies := Functions(m.Body(Code))
	if len(bodies) != 2 || !bytes.Equal(bodies[1], []byte{1, 2, 0x7f, OpEnd}) || Locals(bodies[1]) != 3 {
		t.Errorf("functions % x", bodies)
	}
}

func TestCutOff(t *testing.T) {
	whole := module().Bytes()
	for end := range whole {
		m, err := Read(whole[:end])
		if err == nil && bytes.Equal(m.Bytes(), whole) || err != nil && !errors.Is(err, ErrModule) {
			t.Errorf("the first %d bytes: %v", end, err)
		}
	}
}

func TestInstruction(t *testing.T) {
	for _, c := range []struct {
		code []byte
		want int
	}{
		{[]byte{OpEnd, 1}, 1},
		{[]byte{OpBlock, 0x40, 1}, 2},
		{[]byte{OpCall, 0x80, 0x01, 1}, 3},
		{[]byte{OpCallIndirect, 0x80, 0x01, 0, 1}, 4},
		{[]byte{OpBrTable, 2, 0, 1, 2, 1}, 5},
		{[]byte{OpI32Const, 0xff, 0x7f, 1}, 3},
		{[]byte{0x44, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 9},
		{[]byte{0xfc, 10, 0, 0, 1}, 4},
	} {
		if got, err := Instruction(c.code); got != c.want || err != nil {
			t.Errorf("% x: %d, %v", c.code, got, err)
		}
	}
	if _, err := Instruction([]byte{0xfd, 1}); !errors.Is(err, ErrModule) {
		t.Errorf("an instruction that Go does not write: %v", err)
	}
}

func TestImage(t *testing.T) {
	memory := make([]byte, 800)
	memory[10], memory[15], memory[380], memory[799] = 1, 2, 3, 4
	data := DataOf(memory)
	if count, _ := Unsigned(data); count != 3 {
		t.Errorf("%d segments: 5 and 1 bytes, and the last", count)
	}
	got, err := Image(data)
	if err != nil || !bytes.Equal(got, memory) {
		t.Errorf("% x, %v", got, err)
	}
	many := bytes.Repeat(append([]byte{1}, make([]byte, 64)...), MaxSegments+1)
	data = DataOf(many)
	if count, _ := Unsigned(data); count > MaxSegments {
		t.Errorf("%d segments", count)
	}
	if got, err := Image(data); err != nil || !bytes.Equal(got, many[:len(many)-64]) {
		t.Errorf("%d bytes of %d, %v", len(got), len(many), err)
	}
	if _, err := Image([]byte{1, 1, 0}); !errors.Is(err, ErrModule) {
		t.Errorf("a segment that the program copies itself: %v", err)
	}
}

func TestSet(t *testing.T) {
	m := module()
	m.Set(Start, []byte{7})
	m.Set(Code, []byte{0})
	var kinds []byte
	for _, s := range m.Sections {
		kinds = append(kinds, s.Kind)
	}
	if !bytes.Equal(kinds, []byte{Import, Start, Code, Custom}) || m.Body(Start)[0] != 7 || m.Body(Code)[0] != 0 {
		t.Errorf("%v", m.Sections)
	}
	list := ListOf([]byte{1, 9})
	if number := list.Add(8); number != 1 || !bytes.Equal(list.Bytes(), []byte{2, 9, 8}) {
		t.Errorf("number %d, % x", number, list.Bytes())
	}
}
