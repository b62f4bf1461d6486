// Package repair is the ring of packages that find what the author of a mistake most likely meant.
//
// A repair is a [diag.Fix]: a title and edits of the scenario's texts. It is made in four steps.
//
//  1. Diagnostic. A package of another ring, or of this one, reports a mistake with its code, its
//     place and the server's message.
//  2. Candidates. One of the packages below adds its fixes to the diagnostic, the most likely first.
//     It changes nothing else.
//  3. Trial. Package trial applies each fix to the texts and evaluates them again, for this request
//     and for similar ones. It drops fixes that lead to another problem.
//  4. Rank. Fixes that change other requests come last. Package trial marks a fix as sure if it is
//     the only one left.
//
// The packages differ in what they repair:
//
//   - expressions: CEL that the server rejects, also in the rules of a CustomResourceDefinition
//   - failures: CEL that compiles and fails for a request, and patches that cannot be applied
//   - documents: policies, bindings and webhook configurations that installation reports about
//   - objects: objects with unknown fields and wrong types, in the request and in the cluster
//   - roles: roles and bindings
//   - trial: no mistake; the steps 3 and 4
//
// Repairs that need the reader or the checks of their text stay with it: broken YAML in
// engine/scenario (yaml_repairs.go), and pasted text in engine/internal/text/pasted.
//
// # A new rule
//
// A rule about rejected expressions is a function that takes a draft, the expression with its tokens
// and messages. It returns the changed text, or the text as it is. Write it in a file of package
// expressions, and add it with the sentence that explains it to one of the lists in Repairer's
// order: the first rule that changes the text is used, and the rules then start again. An expression
// is offered only if it compiles, or has fewer errors than before. Match cel-go's messages with
// draft.messages: TestMessagesOfCELGo then names the rule if a new cel-go says something else. Add an
// entry to testdata/rules.yaml: what the rule says, the code that it answers, the mistake, and what was
// meant. TestRepair requires one for each rule, and docs/repairs.md lists them.
//
// A rule about objects is a method of objects.Object in a file of its own, and a word in the list
// of UnknownFields or WrongTypes. A rule about failures is a function and a case in failures.fixes.
//
// Then add the mistake to engine/testdata/mistakes. TestRepairRates counts it for docs/repairs.md.
package repair
