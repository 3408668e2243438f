/** How a language is recognised, and what can read it. */
export interface Language {
  readonly id: string
  readonly extensions: readonly string[]
  /** Whole file names, lower case. */
  readonly filenames?: readonly string[]
  /** Other names a user may filter by. */
  readonly aliases?: readonly string[]
  /** The family whose lexical rules the scanner uses; prose and data have no symbols to find. */
  readonly family: Family
  /** The tree-sitter grammar that parses it precisely, where npm ships one as wasm. */
  readonly grammar?: string
}

export type Family =
  | 'braces'
  | 'python'
  | 'ruby'
  | 'shell'
  | 'lua'
  | 'haskell'
  | 'elixir'
  | 'lisp'
  | 'sql'
  | 'config'
  | 'markup'
  | 'prose'

export const LANGUAGES: readonly Language[] = [
  {
    id: 'typescript',
    extensions: ['ts', 'mts', 'cts'],
    aliases: ['ts'],
    family: 'braces',
    grammar: 'typescript',
  },
  { id: 'tsx', extensions: ['tsx'], family: 'braces', grammar: 'tsx' },
  {
    id: 'javascript',
    extensions: ['js', 'jsx', 'mjs', 'cjs'],
    aliases: ['js', 'jsx'],
    family: 'braces',
    grammar: 'javascript',
  },
  { id: 'vue', extensions: ['vue'], family: 'braces' },
  { id: 'svelte', extensions: ['svelte'], family: 'braces' },
  {
    id: 'python',
    extensions: ['py', 'pyi', 'pyx'],
    aliases: ['py'],
    family: 'python',
    grammar: 'python',
  },
  { id: 'go', extensions: ['go'], aliases: ['golang'], family: 'braces', grammar: 'go' },
  { id: 'rust', extensions: ['rs'], aliases: ['rs'], family: 'braces', grammar: 'rust' },
  { id: 'java', extensions: ['java'], family: 'braces', grammar: 'java' },
  { id: 'kotlin', extensions: ['kt', 'kts'], aliases: ['kt'], family: 'braces', grammar: 'kotlin' },
  { id: 'scala', extensions: ['scala', 'sc'], family: 'braces', grammar: 'scala' },
  { id: 'groovy', extensions: ['groovy', 'gradle'], aliases: ['gradle'], family: 'braces' },
  { id: 'c', extensions: ['c', 'h'], family: 'braces', grammar: 'cpp' },
  {
    id: 'cpp',
    extensions: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx', 'inl', 'ipp'],
    aliases: ['c++'],
    family: 'braces',
    grammar: 'cpp',
  },
  {
    id: 'csharp',
    extensions: ['cs'],
    aliases: ['c#', 'c-sharp'],
    family: 'braces',
    grammar: 'c-sharp',
  },
  { id: 'swift', extensions: ['swift'], family: 'braces' },
  { id: 'dart', extensions: ['dart'], family: 'braces' },
  { id: 'zig', extensions: ['zig'], family: 'braces' },
  { id: 'solidity', extensions: ['sol'], family: 'braces' },
  { id: 'php', extensions: ['php', 'phtml'], family: 'braces', grammar: 'php' },
  {
    id: 'ruby',
    extensions: ['rb', 'rake', 'gemspec', 'ru'],
    filenames: ['rakefile', 'gemfile'],
    aliases: ['rb'],
    family: 'ruby',
    grammar: 'ruby',
  },
  { id: 'elixir', extensions: ['ex', 'exs'], family: 'elixir' },
  { id: 'erlang', extensions: ['erl', 'hrl'], family: 'prose' },
  { id: 'haskell', extensions: ['hs', 'lhs'], family: 'haskell' },
  { id: 'ocaml', extensions: ['ml', 'mli'], family: 'haskell' },
  { id: 'fsharp', extensions: ['fs', 'fsx', 'fsi'], aliases: ['f#'], family: 'haskell' },
  { id: 'clojure', extensions: ['clj', 'cljs', 'cljc', 'edn'], family: 'lisp' },
  { id: 'lua', extensions: ['lua'], family: 'lua' },
  { id: 'vim', extensions: ['vim'], family: 'lua' },
  { id: 'r', extensions: ['r'], family: 'braces' },
  { id: 'julia', extensions: ['jl'], family: 'ruby' },
  { id: 'pascal', extensions: ['pas', 'dpr'], family: 'lua' },
  { id: 'fortran', extensions: ['f', 'f90', 'f95', 'f03'], family: 'lua' },
  { id: 'perl', extensions: ['pl', 'pm'], family: 'braces' },
  {
    id: 'bash',
    extensions: ['sh', 'bash', 'zsh', 'bats', 'ksh'],
    aliases: ['shell', 'sh', 'zsh'],
    family: 'shell',
    grammar: 'bash',
  },
  {
    id: 'powershell',
    extensions: ['ps1', 'psm1', 'psd1'],
    aliases: ['ps1'],
    family: 'braces',
    grammar: 'powershell',
  },
  { id: 'sql', extensions: ['sql'], family: 'sql' },
  { id: 'graphql', extensions: ['graphql', 'gql'], family: 'braces' },
  { id: 'protobuf', extensions: ['proto'], aliases: ['proto'], family: 'braces' },
  { id: 'css', extensions: ['css'], family: 'markup', grammar: 'css' },
  { id: 'scss', extensions: ['scss', 'sass', 'less'], family: 'markup' },
  { id: 'html', extensions: ['html', 'htm'], family: 'markup' },
  { id: 'xml', extensions: ['xml', 'dtd', 'xsd'], family: 'markup' },
  { id: 'hcl', extensions: ['hcl', 'tf', 'tfvars'], aliases: ['terraform'], family: 'config' },
  {
    id: 'dockerfile',
    extensions: ['dockerfile'],
    filenames: ['dockerfile', 'containerfile'],
    family: 'config',
  },
  { id: 'gotmpl', extensions: ['tpl', 'gotmpl'], family: 'config' },
  { id: 'yaml', extensions: ['yaml', 'yml'], aliases: ['yml'], family: 'config' },
  { id: 'json', extensions: ['json', 'jsonc', 'json5'], family: 'config' },
  { id: 'toml', extensions: ['toml'], family: 'config' },
  { id: 'ini', extensions: ['ini', 'cfg', 'conf', 'properties'], family: 'config', grammar: 'ini' },
  {
    id: 'make',
    extensions: ['mk', 'make'],
    filenames: ['makefile', 'gnumakefile'],
    family: 'config',
  },
  { id: 'cmake', extensions: ['cmake'], filenames: ['cmakelists.txt'], family: 'config' },
  { id: 'markdown', extensions: ['md', 'mdx', 'markdown'], aliases: ['md'], family: 'prose' },
  { id: 'restructuredtext', extensions: ['rst'], aliases: ['rst'], family: 'prose' },
  { id: 'text', extensions: ['txt', 'adoc'], aliases: ['txt'], family: 'prose' },
]

const byId = new Map(LANGUAGES.map((language) => [language.id, language]))
const byExtension = new Map(
  LANGUAGES.flatMap((language) => language.extensions.map((extension) => [extension, language])),
)
const byFilename = new Map(
  LANGUAGES.flatMap((language) => (language.filenames ?? []).map((name) => [name, language])),
)

/** The language of a path by its name alone; undefined for what is not source, config or prose. */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const named = byFilename.get(name)
  if (named) return named
  if (/^(?:dockerfile|containerfile)[.-]/.test(name)) return byId.get('dockerfile')
  const dot = name.lastIndexOf('.')
  return dot < 0 ? undefined : byExtension.get(name.slice(dot + 1))
}

export function languageById(id: string): Language | undefined {
  return byId.get(id)
}
