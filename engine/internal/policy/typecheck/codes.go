package typecheck

// Code is the name of a kind of diagnostic, and what it means.
type Code struct {
	Code    string
	Meaning string
}

// The codes of this package. Only the first is the server's own warning.
const (
	CodeServer      = "type-checking"
	CodeField       = "unknown-object-field"
	CodeType        = "wrong-operand-type"
	CodeNever       = "never-equal"
	CodeLiteral     = "literal-unknown-field"
	CodeLiteralName = "literal-type-name"
	CodeLiteralType = "literal-wrong-type"
	CodeNestedMap   = "literal-nested-map"
	CodeAtomic      = "literal-atomic"
)

// Codes lists every code of this package, for the documentation.
var Codes = []Code{
	{CodeServer, "The server's own warning, in its words: kube-controller-manager checks the validations of a ValidatingAdmissionPolicy against the kinds that it names and writes what it finds into status.typeChecking. It never changes what the policy does."},
	{CodeField, "The kind that the policy matches has no such field. Reading it fails when the expression runs; has() of it is always false."},
	{CodeType, "No function or operator takes values of these types: the expression fails when it runs. Times and quantities in objects are texts; timestamp() and quantity() convert them."},
	{CodeNever, "The two sides can never be equal: their types differ, or the field takes none of these values."},
	{CodeLiteral, "An Object{} literal sets a field that the kind does not have; the mutation fails when it runs."},
	{CodeLiteralName, "The name of an Object type must be the path of the field that it stands in, such as Object.spec.template; items of lists and values of maps add nothing to it."},
	{CodeLiteralType, "An Object{} literal sets a field to a value of another type; the mutation fails when it runs. Null removes nothing, and unsigned integers, durations, timestamps and quantities are not accepted."},
	{CodeNestedMap, "A map inside of a map or list is not converted by the server, and the mutation fails. Write the inner one as an Object type."},
	{CodeAtomic, "An ApplyConfiguration may not set lists, maps and structs that the API replaces as a whole. A JSONPatch can."},
}
