package cli

import (
	"embed"
	"fmt"
	"strings"
)

// helpTexts has one file for each command.
//
//go:embed help
var helpTexts embed.FS

const overview = `preadmit says what the Kubernetes API server will do with a request, before it does it.

  preadmit eval PATH          evaluate a scenario: verdict, steps, costs, the object
  preadmit cel 'EXPRESSION'   evaluate one CEL expression
  preadmit test [PATH...]     run scenarios against their expected.yaml
  preadmit check PATH...      what the server says to policies when they are created; no request
  preadmit fix PATH...        repair what has one likely answer; --write changes the files
  preadmit replay -p FILE REQUESTS
                              run captured requests or audit events through policies
  preadmit propose -r BEFORE -a AFTER
                              from a changed object or a webhook's patch to a policy
  preadmit serve PATH         answer as a webhook, for clusters without such policies
  preadmit link PATH          print the link that opens a scenario in the browser
  preadmit open LINK          write the files of such a link
  preadmit version            print the version
  preadmit help COMMAND       describe a command, with examples
  preadmit help licenses      print the licences of this program and of what is in it

A scenario is a folder with policies.yaml, request.yaml, cluster.yaml and scenario.yaml (all
optional), or the same files in one .txtar archive.

Exit codes: 0 admitted, 1 denied, 2 the input is wrong, 3 a bug in preadmit.
`

// help describes a command.
func (a *app) help(args []string) (int, error) {
	if len(args) == 0 {
		_, err := fmt.Fprint(a.stdout, overview)
		return exitOK, err
	}
	text, err := helpTexts.ReadFile("help/" + strings.ToLower(args[0]) + ".txt")
	if err != nil || len(args) > 1 {
		return 0, badInput("there is no help on %q", strings.Join(args, " "))
	}
	_, err = a.stdout.Write(text)
	return exitOK, err
}
