import { LANGUAGES, type Language, languageById } from './languages.ts'

const byExtension = new Map(
  LANGUAGES.flatMap((language) => language.extensions.map((extension) => [extension, language])),
)
const byFilename = new Map(
  LANGUAGES.flatMap((language) => (language.filenames ?? []).map((name) => [name, language])),
)

/** What is made into a file by a build or by hand, and is written in the language of that file. */
const PATTERN_OF_A_FILE = /(?<=.)\.(?:in|dist|example|sample|template|tmpl)$/

/**
 * The language of a path by its name, where that is not enough by the text: by the interpreter that
 * it begins with, by a line that only one of two languages has; undefined for what is not source, config or prose.
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
  // A header may be of either language; only one of them has such lines.
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
