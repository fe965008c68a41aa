
// An import that is not used is an error.
var _ = os.Getenv

func size(value interface{}) int {
	of := reflect.ValueOf(value)
	switch of.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return int(of.Int())
	case reflect.Float64:
		return int(of.Float())
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return of.Len()
	}
	return 0
}

func less(a, b interface{}) bool {
	first, second := reflect.ValueOf(a), reflect.ValueOf(b)
	switch first.Kind() {
	case reflect.Int:
		return first.Int() < second.Int()
	case reflect.Float64:
		return first.Float() < second.Float()
	}
	return fmt.Sprint(a) < fmt.Sprint(b)
}

func reversed[T any](list []T) []T {
	turned := []T{}
	for i := len(list) - 1; i >= 0; i-- {
		turned = append(turned, list[i])
	}
	return turned
}

func sorted[T any](list []T) []T {
	copied := append([]T{}, list...)
	sort.SliceStable(copied, func(i, j int) bool { return less(copied[i], copied[j]) })
	return copied
}

func sorted_down[T any](list []T) []T { return reversed(sorted(list)) }

func doubled[T any](list []T) []T { return append(append([]T{}, list...), list...) }

func part[T any](list []T, from, to int) []T {
	if len(list) == 0 {
		return list
	}
	return list[from:to]
}

func without_first[T any](list []T) []T { return part(list, 1, len(list)) }
func without_last[T any](list []T) []T  { return part(list, 0, len(list)-1) }
func first_only[T any](list []T) []T    { return part(list, 0, 1) }
func last_only[T any](list []T) []T     { return part(list, len(list)-1, len(list)) }

func reversed_text(text string) string      { return string(reversed([]rune(text))) }
func sorted_down_text(text string) string   { return reversed_text(sorted_text(text)) }
func doubled_text(text string) string       { return text + text }
func without_first_text(text string) string { return string(without_first([]byte(text))) }
func without_last_text(text string) string  { return string(without_last([]byte(text))) }
func first_only_text(text string) string    { return string(first_only([]byte(text))) }
func last_only_text(text string) string     { return string(last_only([]byte(text))) }
func sorted_text(text string) string {
	letters := strings.Split(text, "")
	sort.Strings(letters)
	return strings.Join(letters, "")
}

func first_of[T any](list []T, other T) T {
	if len(list) == 0 {
		return other
	}
	return list[0]
}

func last_of[T any](list []T, other T) T {
	if len(list) == 0 {
		return other
	}
	return list[len(list)-1]
}

func bounded(count int) int { return int(math.Max(0, math.Min(float64(count), 1000))) }

func copies[T any](item T, count int) []T {
	list := []T{}
	for i := bounded(count); i > 0; i-- {
		list = append(list, item)
	}
	return list
}

func as_text(number int) string { return strconv.Itoa(number) }
func letters(count int) string  { return strings.Repeat("a", bounded(count)) }
