// Package values exchanges plain Go values between the two processes of the guard: numbers, text, arrays, slices and
// maps of them, and interfaces that hold them. The reader checks every length and creates no other types.
package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
)

var control *os.File

// Open opens the descriptor in the program's last argument.
func Open() {
	number, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil {
		os.Exit(3)
	}
	control = os.NewFile(uintptr(number), "control")
}

func u32(to []byte, n uint32) []byte {
	return append(to, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func u64(to []byte, n uint64) []byte {
	return u32(u32(to, uint32(n>>32)), uint32(n))
}

// Send writes a frame.
func Send(kind byte, content []byte) {
	frame := u32(nil, uint32(len(content)+1))
	frame = append(append(frame, kind), content...)
	if _, err := control.Write(frame); err != nil {
		os.Exit(3)
	}
}

// Receive waits for a frame.
func Receive() []byte {
	head := make([]byte, 4)
	fill(head)
	size := binary.BigEndian.Uint32(head)
	if size == 0 || size > 16<<20 {
		os.Exit(3)
	}
	frame := make([]byte, size)
	fill(frame)
	return frame[1:]
}

func fill(buffer []byte) {
	for len(buffer) > 0 {
		n, err := control.Read(buffer)
		if err != nil || n == 0 {
			os.Exit(0)
		}
		buffer = buffer[n:]
	}
}

// The types that a value in an interface may have, by tag.
var inside = map[byte]reflect.Type{
	'b': reflect.TypeOf(false), 'i': reflect.TypeOf(0), 'l': reflect.TypeOf(int64(0)), 'r': reflect.TypeOf(int32(0)),
	'y': reflect.TypeOf(uint8(0)), 'u': reflect.TypeOf(uint(0)), 'f': reflect.TypeOf(0.0),
	'g': reflect.TypeOf(float32(0)), 's': reflect.TypeOf(""), 'I': reflect.TypeOf([]int(nil)),
	'S': reflect.TypeOf([]string(nil)), 'F': reflect.TypeOf([]float64(nil)), 'A': reflect.TypeOf([]interface{}(nil)),
	'M': reflect.TypeOf(map[interface{}]interface{}(nil)), 'T': reflect.TypeOf(map[string]interface{}(nil)),
	'B': reflect.TypeOf([]byte(nil)), 'R': reflect.TypeOf([]rune(nil)), 'P': reflect.TypeOf([2]int{}),
}

// What was written or read since the last forget: see Facts in answers.rs.
var (
	largest          float64
	nans, infinities uint32
)

func forget() {
	largest, nans, infinities = 0, 0, 0
}

func see(number float64) {
	switch size := math.Abs(number); {
	case math.IsNaN(size):
		nans++
	case math.IsInf(size, 0):
		infinities++
	case size > largest:
		largest = size
	}
}

// The absolute value of the smallest integer is not positive.
func seeInteger(number int64, kind reflect.Kind) {
	isSmall := kind == reflect.Int32 && number == math.MinInt32
	if isSmall || (kind == reflect.Int || kind == reflect.Int64) && number == math.MinInt64 {
		infinities++
	}
}

var errPlain = errors.New("unsupported type")

func put(to []byte, value reflect.Value) ([]byte, error) {
	var err error
	switch value.Kind() {
	case reflect.Bool:
		if value.Bool() {
			return append(to, 1), nil
		}
		return append(to, 0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		seeInteger(value.Int(), value.Kind())
		return u64(to, uint64(value.Int())), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return u64(to, value.Uint()), nil
	case reflect.Float32, reflect.Float64:
		see(value.Float())
		return u64(to, math.Float64bits(value.Float())), nil
	case reflect.String:
		to = u32(to, uint32(value.Len()))
		return append(to, value.String()...), nil
	case reflect.Interface:
		if value.IsNil() {
			return append(to, 'n'), nil
		}
		for letter, kind := range inside {
			if value.Elem().Type() == kind {
				return put(append(to, letter), value.Elem())
			}
		}
		return nil, fmt.Errorf("%w: %s", errPlain, value.Elem().Type())
	case reflect.Slice:
		// A nil slice differs from an empty one.
		if value.IsNil() {
			return append(to, 0), nil
		}
		to = append(to, 1)
		fallthrough
	case reflect.Array:
		to = u32(to, uint32(value.Len()))
		for i := 0; i < value.Len() && err == nil; i++ {
			to, err = put(to, value.Index(i))
		}
		return to, err
	case reflect.Map:
		if value.IsNil() {
			return append(to, 0), nil
		}
		to = u32(append(to, 1), uint32(value.Len()))
		for _, key := range value.MapKeys() {
			if to, err = put(to, key); err == nil {
				to, err = put(to, value.MapIndex(key))
			}
			if err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("%w: %s", errPlain, value.Type())
}

type reader struct{ left []byte }

var errShort = errors.New("truncated value")

func (r *reader) take(count int) ([]byte, error) {
	if count < 0 || count > len(r.left) {
		return nil, errShort
	}
	part := r.left[:count]
	r.left = r.left[count:]
	return part, nil
}

func (r *reader) number() (uint64, error) {
	part, err := r.take(8)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(part), nil
}

func (r *reader) size() (int, error) {
	part, err := r.take(4)
	if err != nil {
		return 0, err
	}
	size := binary.BigEndian.Uint32(part)
	if uint64(size) > uint64(len(r.left)) {
		return 0, errShort
	}
	return int(size), nil
}

func (r *reader) get(value reflect.Value) error {
	switch value.Kind() {
	case reflect.Bool:
		part, err := r.take(1)
		if err == nil {
			value.SetBool(part[0] != 0)
		}
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number, err := r.number()
		if err == nil {
			value.SetInt(int64(number))
			seeInteger(value.Int(), value.Kind())
		}
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		number, err := r.number()
		if err == nil {
			value.SetUint(number)
		}
		return err
	case reflect.Float32, reflect.Float64:
		number, err := r.number()
		if err == nil {
			value.SetFloat(math.Float64frombits(number))
			see(value.Float())
		}
		return err
	case reflect.String:
		size, err := r.size()
		if err != nil {
			return err
		}
		text, err := r.take(size)
		value.SetString(string(text))
		return err
	case reflect.Interface:
		letter, err := r.take(1)
		if err != nil || letter[0] == 'n' {
			return err
		}
		kind, ok := inside[letter[0]]
		if !ok {
			return errPlain
		}
		element := reflect.New(kind).Elem()
		if err := r.get(element); err != nil {
			return err
		}
		value.Set(element)
		return nil
	case reflect.Slice, reflect.Map:
		there, err := r.take(1)
		if err != nil || there[0] == 0 {
			return err
		}
		size, err := r.size()
		if err != nil {
			return err
		}
		if value.Kind() == reflect.Map {
			return r.pairs(value, size)
		}
		value.Set(reflect.MakeSlice(value.Type(), size, size))
		return r.items(value, size)
	case reflect.Array:
		size, err := r.size()
		if err == nil && size != value.Len() {
			err = errShort
		}
		if err != nil {
			return err
		}
		return r.items(value, size)
	}
	return errPlain
}

func (r *reader) items(value reflect.Value, size int) error {
	for i := 0; i < size; i++ {
		if err := r.get(value.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) pairs(value reflect.Value, size int) (err error) {
	// SetMapIndex panics if a key cannot be one, such as a slice in an interface.
	defer func() {
		if recover() != nil {
			err = errPlain
		}
	}()
	value.Set(reflect.MakeMap(value.Type()))
	for i := 0; i < size; i++ {
		key, item := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		if err := r.get(key); err != nil {
			return err
		}
		if err := r.get(item); err != nil {
			return err
		}
		value.SetMapIndex(key, item)
	}
	return nil
}

// Serve answers calls of a function until the other side closes the connection.
func Serve(function interface{}) {
	Open()
	call := reflect.ValueOf(function)
	for {
		from := reader{Receive()}
		given := make([]reflect.Value, call.Type().NumIn())
		for i := range given {
			given[i] = reflect.New(call.Type().In(i)).Elem()
			if err := from.get(given[i]); err != nil {
				Send('U', []byte(err.Error()))
				os.Exit(0)
			}
		}
		var answer []byte
		var err error
		forget()
		for _, result := range call.Call(given) {
			if answer, err = put(answer, result); err != nil {
				Send('U', []byte(err.Error()))
				os.Exit(0)
			}
		}
		// Facts, as answers.rs describes them. Arguments are copies, and maps have no keys that collide.
		frame := append(make([]byte, 16), u64(nil, math.Float64bits(largest))...)
		frame = u32(u32(u32(frame, nans), infinities), 0)
		Send('A', append(u32(frame, uint32(len(answer))), answer...))
	}
}

// facts is the length of what comes before an answer.
const facts = 40

// refuse refuses an answer: see refusal in answers.rs.
func refuse(why byte) {
	Send('O', []byte{why})
	os.Exit(3)
}

// Call sends arguments and waits for the answer. All parameters are pointers, so that their static types are known.
func Call(answer interface{}, given ...interface{}) {
	var to []byte
	var err error
	for _, pointer := range given {
		if to, err = put(to, reflect.ValueOf(pointer).Elem()); err != nil {
			panic(err)
		}
	}
	Send('C', to)
	frame := Receive()
	if len(frame) < facts {
		os.Exit(3)
	}
	from := reader{frame[facts:]}
	forget()
	if err := from.get(reflect.ValueOf(answer).Elem()); err != nil || len(from.left) > 0 {
		refuse('f')
	}
	switch {
	case nans > binary.BigEndian.Uint32(frame[24:]):
		refuse('n')
	case infinities > binary.BigEndian.Uint32(frame[28:]):
		refuse('i')
	case largest > math.Float64frombits(binary.BigEndian.Uint64(frame[16:])):
		refuse('l')
	}
}
