func Initials(name string) string {
	result := ""
	for _, word := range strings.Fields(name) {
		result += strings.ToUpper(word[:1])
	}
	return result
}
