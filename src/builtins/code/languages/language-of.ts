import { LANGUAGES, type Language, languageById } from './languages.ts'

const byExtension = new Map(
  LANGUAGES.flatMap((language) => language.extensions.map((extension) => [extension, language])),
)
const byFilename = new Map(
  LANGUAGES.flatMap((language) => (language.filenames ?? []).map((name) => [name, language])),
)

/** Suffixes of templates, which are written in the language of the file they become. */
const PATTERN_OF_A_FILE = /(?<=.)\.(?:in|dist|example|sample|template|tmpl)$/

/**
 * Returns the language of a path by its name or, if that is not enough, by its text: its
 * interpreter line, or a line that only one of two languages has. Undefined if it is not source,
 * config or prose.
 */
export function languageOf(path: string, text = ''): Language | undefined {
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(PATTERN_OF_A_FILE, '')
  const named = byFilename.get(name)
  if (named) return named
  if (/^(?:dockerfile|containerfile)[.-]/.test(name)) return languageById('dockerfile')
  const dot = name.lastIndexOf('.')
  // A header may be C or Objective-C; only Objective-C has such lines.
  if (name.endsWith('.h') && /^@(?:interface|protocol)\b/m.test(text))
    return languageById('objective-c')
  return dot < 0 ? languageById(interpretedAs(text) ?? '') : byExtension.get(name.slice(dot + 1))
}

/** `#!/usr/bin/env -S python3.11 -u` → python. */
function interpretedAs(text: string): string | undefined {
  const [, program = ''] =
    /^#!\s*(?:\S*\/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*\/)?([A-Za-z]+)/.exec(text) ?? []
  return INTERPRETERS.find(([names]) => names.split(' ').includes(program))?.[1]
}

const INTERPRETERS: readonly (readonly [programs: string, language: string])[] = [
  ['sh bash dash ash ksh zsh fish bats', 'bash'],
  ['python pypy', 'python'],
  ['node nodejs', 'javascript'],
  ['deno bun tsx ts', 'typescript'],
  ['ruby jruby crystal', 'ruby'],
  ['perl', 'perl'],
  ['php', 'php'],
  ['lua luajit', 'lua'],
  ['tclsh wish expect', 'tcl'],
  ['awk gawk mawk', 'awk'],
  ['make', 'make'],
  ['pwsh powershell', 'powershell'],
  ['Rscript', 'r'],
  ['elixir', 'elixir'],
  ['escript', 'erlang'],
  ['groovy', 'groovy'],
  ['julia', 'julia'],
  ['swift', 'swift'],
  ['runghc runhaskell stack', 'haskell'],
  ['ocaml', 'ocaml'],
  ['bb clojure', 'clojure'],
  ['guile racket emacs sbcl', 'lisp'],
]
