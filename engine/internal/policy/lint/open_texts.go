package lint

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

var (
	// hostOnly is the name of a registry without a slash behind it.
	hostOnly = lazy.Regexp{Text: `^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?$`}
	// sharedOwner is an owner in a registry in which anybody can become one, without a slash behind it.
	sharedOwner = lazy.Regexp{Text: `^(?:docker\.io|ghcr\.io|quay\.io|registry\.gitlab\.com|public\.ecr\.aws|(?:[a-z]+\.)?gcr\.io|[a-z0-9-]+-docker\.pkg\.dev)/[a-z0-9._-]*[a-z0-9]$`}
	// accountsOf is the prefix of the names of a namespace's service accounts without its last colon.
	accountsOf = lazy.Regexp{Text: `^system:serviceaccount:[a-z0-9-]*[a-z0-9]$`}
	// plainName has nothing that only the cluster, or one identity provider, puts into names.
	plainName = lazy.Regexp{Text: `^[A-Za-z0-9_. -]+$`}
	// dottedHost is a host in a pattern, at a place where one begins, whose dots match any character.
	dottedHost = lazy.Regexp{Text: `(^\^?|[(|])([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})(?:[/:)|$]|$)`}
)

// endsHost is what to do about a domain without a dot before it.
const endsHost = "Anybody can register such a domain. Begin the text with a dot, and compare the domain itself."

// findsAnywhere is what to do about a pattern without a beginning.
const findsAnywhere = "matches() finds the pattern anywhere in the text. Begin it with ^."

// openTexts finds tests of a text that other texts pass, too: a registry's name without a slash, a part of a user's
// name, and patterns that match more than they look like.
func openTexts(p *policy) {
	effects, done := p.effects(), map[*values.Node]bool{}
	p.eachPart(func(_ expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || len(n.Children) != 2 || effects.sign[n] <= 0 {
			return false
		}
		if e := effects.in[n]; effects.alone[n] && p.wideGroup(n, of(n.Children[1])) != "" && e.read.Root() != n && !p.said(p.document, e.path) {
			out := p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, p.wideGroup(n, of(n.Children[1])), "Name a group that administrators assign.")
			p.within(out, p.document, e.path, n.Start, n.End)
			return true
		}
		if !n.Member {
			return false
		}
		at, reported := of(n.Children[0]), (*diag.Diagnostic)(nil)
		if e := effects.in[n]; isPartOfList(n, at, of(n.Children[1])) && !p.said(p.document, e.path) {
			out := p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, "every part of the text passes, too, also a single letter of it", "Compare whole names: split the text, and look for the name with in.")
			p.within(out, p.document, e.path, n.Start, n.End)
			return true
		}
		var changes []rewrite.Change
		e := effects.in[n]
		for _, literal := range effects.texts(n.Children[1]) {
			text, isText := literalText(literal)
			accounts := text == serviceaccount.ServiceAccountUsernamePrefix
			if !isText || done[literal] || (accounts || text == "system:") && !effects.alone[n] || accounts && p.speaksOfAccounts() {
				continue
			}
			summary, detail, now := openTest(n.Name, text, at)
			if summary == "" {
				continue
			}
			done[literal] = true
			if e = effects.in[literal]; reported == nil {
				if p.said(p.document, e.path) {
					return true
				}
				reported = p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, summary, detail)
				p.within(reported, p.document, e.path, literal.Start, literal.End)
			}
			if now == "" && n.Children[1] == literal && detail == endsHost {
				host := string([]rune(e.text)[n.Children[0].Start:n.Children[0].End])
				changes = append(changes, rewrite.Replace(n.Start, n.End, "("+host+" == '"+text+"' || "+host+".endsWith('."+text+"'))"))
			}
			if detail == findsAnywhere {
				if at := pastQuote([]rune(e.text), literal.Start); at > 0 {
					changes = append(changes, rewrite.Replace(at, at, "^"))
				}
			}
			if now != "" {
				changes = append(changes, rewrite.Replace(literal.Start, literal.End, "'"+now+"'"))
			}
		}
		if reported != nil && reported.Code != "" && len(changes) > 0 {
			if s := rewrite.In(p.document, p.Plain[p.document.Text], e.path); s != nil {
				title := "Write " + changes[0].Text
				if changes[0].Text == "^" {
					title = "Begin the pattern with ^"
				}
				reported.Fixes = []diag.Fix{s.Fix(title, changes...)}
			}
		}
		return reported != nil
	})
}

// isPartOfList reports whether a part looks for a field of the object in a text that lists names: in a parameter or literal.
func isPartOfList(n *values.Node, text, field *place) bool {
	literal, isText := literalText(n.Children[0])
	listed := isText && strings.ContainsAny(literal, ", ;|") || text != nil && text.steps[0] == "params"
	return n.Name == "contains" && listed && field != nil && field.steps[0] == "object"
}

// wideGroup says who is in the group that a part tests for, where it has more members than most authors mean; empty for
// others. As a whole validation the test makes sense: it keeps other users away.
func (p *policy) wideGroup(n *values.Node, list *place) string {
	text, ok := literalText(n.Children[0])
	switch {
	case n.Name != operators.In || !ok || list == nil || strings.Join(list.steps, ".") != "request.userInfo.groups":
	case text == user.AllAuthenticated:
		return "every user with credentials is in system:authenticated, so nobody but anonymous users is checked"
	case text == serviceaccount.AllServiceAccountsGroup && !p.speaksOfAccounts():
		return "the service accounts of every namespace are in this group, and who may create a Pod can use one"
	}
	return ""
}

// saysAccounts are words of a policy that tells people and programs apart on purpose.
var saysAccounts = lazy.Regexp{Text: `(?i)service[ -]?accounts?|human|people|person|manual|interactive|by hand`}

// speaksOfAccounts reports whether the names and messages of a policy say that it is about all service accounts.
func (p *policy) speaksOfAccounts() bool {
	return saysAccounts.MatchString(p.document.Name) || slices.ContainsFunc(p.validations, func(v validation) bool {
		return saysAccounts.MatchString(v.message) || v.messageExpression != nil && saysAccounts.MatchString(v.messageExpression.text)
	})
}

// openTest says which other texts pass a test, and the text with which they do not; empty for a test that is right.
func openTest(function, text string, at *place) (summary, detail, now string) {
	field, identity := "", false
	if at != nil {
		named := slices.DeleteFunc(slices.Clone(at.steps), func(step string) bool { return step == "*" })
		field = named[len(named)-1]
		identity = strings.HasPrefix(strings.Join(named, "."), "request.userInfo.") && (field == "username" || field == "groups")
	}
	who := map[string]string{"username": "user", "groups": "group"}[field]
	switch {
	case function == "startsWith" && field == "username" && identity && text == "system:":
		return "every service account passes: its name starts with 'system:'", "Name the components, or the group of nodes. To exempt a namespace's service accounts, write 'system:serviceaccount:NAMESPACE:'.", ""
	case function == "startsWith" && field == "username" && identity && text == serviceaccount.ServiceAccountUsernamePrefix:
		return "the service accounts of every namespace pass, and who may create a Pod can use one", "Name the accounts, or a namespace: 'system:serviceaccount:NAMESPACE:'.", ""
	case function == "startsWith" && field == "image" && hostOnly.MatchString(text):
		return text + ".evil.example/app starts with '" + text + "', too", "End the registry's name with a slash.", text + "/"
	case function == "startsWith" && field == "image" && sharedOwner.MatchString(text):
		return text + "-evil/app starts with '" + text + "', too", "Anybody can have such a name in this registry. End the owner's name with a slash.", text + "/"
	case function == "endsWith" && slices.Contains([]string{"host", "hosts", "hostname", "externalName"}, field) && hostOnly.MatchString(text) && !strings.Contains(text, ":"):
		return "evil" + text + " ends with '" + text + "', too", endsHost, ""
	case function == "startsWith" && identity && accountsOf.MatchString(text):
		return "the service accounts of a namespace " + text[strings.LastIndex(text, ":")+1:] + "-other pass, too", "End the namespace's name with a colon.", text + ":"
	case identity && plainName.MatchString(text) && slices.Contains([]string{"startsWith", "endsWith", "contains"}, function):
		how := map[string]string{"startsWith": "starts with", "endsWith": "ends with", "contains": "contains"}[function]
		return "every " + who + " whose name " + how + " '" + text + "' passes, also by chance", "Compare whole names, or test for a group that administrators assign.", ""
	case function == "matches" && field == "image" && hostAnywhere(text) != "":
		return hostAnywhere(text) + " passes, too", findsAnywhere, ""
	case function == "matches" && !strings.ContainsAny(text, "'\\"):
		if summary, detail, now = openPattern(text, at); summary == "" && (field == "image" || strings.HasPrefix(strings.ToLower(field), "host")) {
			return dottedPattern(text)
		}
	}
	return summary, detail, now
}

// dottedPattern says which other host a pattern with plain dots matches, and the pattern that does not; empty for others.
func dottedPattern(text string) (summary, detail, now string) {
	for at := 0; ; {
		m := dottedHost.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return summary, detail, now + text[at:]
		}
		host := text[at+m[4] : at+m[5]]
		if summary == "" {
			summary, detail = "a dot in the pattern matches any character: "+strings.Replace(host, ".", "-", 1)+" passes for "+host, "Write [.] for a dot."
		}
		now += text[at:at+m[4]] + strings.ReplaceAll(host, ".", "[.]")
		at += m[5]
	}
}

// openPattern says what a pattern matches beyond what it looks like, and the pattern that does not; empty for others.
func openPattern(text string, at *place) (summary, detail, now string) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", "", ""
	}
	begins, ends := strings.HasPrefix(text, "^"), strings.HasSuffix(text, "$")
	if parsed.Op == syntax.OpAlternate && begins && ends {
		if first, last := parsed.Sub[0], parsed.Sub[len(parsed.Sub)-1]; !anchored(first, syntax.OpEndText) && !anchored(last, syntax.OpBeginText) {
			return "^ and $ belong to the first and the last alternative only", "Put the alternatives into brackets.", "^(" + text[1:len(text)-1] + ")$"
		}
	}
	if begins || ends || at == nil || strings.HasPrefix(text, ".*") || anchored(parsed, syntax.OpBeginText) {
		return "", "", ""
	}
	named := slices.Contains(at.steps, "labels") || len(at.steps) == 3 && at.steps[1] == "metadata" && at.steps[2] == "name"
	if named && parsed.Op == syntax.OpConcat && repeats(parsed) {
		return "the pattern matches a part of the text, so the text may have more before and behind it", "Begin it with ^ and end it with $.", "^" + text + "$"
	}
	return "", "", ""
}

func anchored(r *syntax.Regexp, op syntax.Op) bool {
	return r.Op == op || r.Op == syntax.OpConcat && slices.ContainsFunc(r.Sub, func(s *syntax.Regexp) bool { return s.Op == op })
}

func repeats(r *syntax.Regexp) bool {
	return slices.ContainsFunc(r.Sub, func(s *syntax.Regexp) bool {
		return s.Op == syntax.OpPlus || s.Op == syntax.OpStar || s.Op == syntax.OpRepeat
	})
}
