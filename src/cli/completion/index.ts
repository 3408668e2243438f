import type { Command } from '@commander-js/extra-typings'
import { Argument } from '../shared/commander.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Each script asks `portolan __complete` for suggestions, so that it never becomes outdated. */
const SHELL_SCRIPTS: Record<Shell, string> = {
  bash: `# portolan completion bash >> ~/.bashrc
_portolan() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(portolan __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _portolan portolan
`,
  zsh: `#compdef portolan
# portolan completion zsh > "\${fpath[1]}/_portolan"
_portolan() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${line/$'\\t'/:}")
  done < <(portolan __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe portolan found; else _files; fi
}
if [ "$funcstack[1]" = "_portolan" ]; then _portolan "$@"; else compdef _portolan portolan; fi
`,
  fish: `# portolan completion fish > ~/.config/fish/completions/portolan.fish
function __portolan_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (portolan __complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c portolan -f -a '(__portolan_complete)'
`,
}

/** Registers `portolan completion <shell>`, and the hidden command its scripts run on every TAB. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, servers and agents')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action((shell) => void process.stdout.write(SHELL_SCRIPTS[shell]))

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words) => {
      const [{ suggest }, { configuredNames }] = await Promise.all([
        import('./suggest.ts'),
        import('./configured-names.ts'),
      ])
      for (const { value, about } of suggest(program, words, configuredNames()))
        process.stdout.write(`${value}\t${about}\n`)
    })
}
