/** How a language is recognised, scanned and parsed. */
export interface Language {
  readonly id: string
  readonly extensions: readonly string[]
  /** Whole file names, lower case. */
  readonly filenames?: readonly string[]
  /** Other names a user may filter by. */
  readonly aliases?: readonly string[]
  /** The family whose lexical rules the scanner uses; prose and data have no symbols to find. */
  readonly family: Family
  /** The tree-sitter grammar that parses it precisely, if npm ships one as wasm. */
  readonly grammar?: string
}

type Family =
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
    extensions: ['js', 'jsx', 'mjs', 'cjs', 'flow'],
    aliases: ['js', 'jsx'],
    family: 'braces',
    grammar: 'javascript',
  },
  { id: 'vue', extensions: ['vue', 'astro'], family: 'braces' },
  { id: 'coffeescript', extensions: ['coffee'], aliases: ['coffee'], family: 'python' },
  { id: 'svelte', extensions: ['svelte'], family: 'braces' },
  {
    id: 'python',
    extensions: ['py', 'pyi', 'pyx', 'pyw', 'bzl', 'bazel', 'star', 'gd'],
    filenames: ['sconstruct', 'sconscript', 'wscript', 'snakefile'],
    aliases: ['py'],
    family: 'python',
    grammar: 'python',
  },
  { id: 'go', extensions: ['go'], aliases: ['golang'], family: 'braces', grammar: 'go' },
  { id: 'rust', extensions: ['rs'], aliases: ['rs'], family: 'braces', grammar: 'rust' },
  { id: 'java', extensions: ['java'], family: 'braces', grammar: 'java' },
  { id: 'kotlin', extensions: ['kt', 'kts'], aliases: ['kt'], family: 'braces', grammar: 'kotlin' },
  { id: 'scala', extensions: ['scala', 'sc', 'sbt'], family: 'braces', grammar: 'scala' },
  {
    id: 'groovy',
    extensions: ['groovy', 'gradle'],
    filenames: ['jenkinsfile'],
    aliases: ['gradle'],
    family: 'braces',
  },
  { id: 'c', extensions: ['c', 'h', 'y', 'l'], family: 'braces', grammar: 'cpp' },
  {
    id: 'cpp',
    extensions: [
      'cpp',
      'cc',
      'cxx',
      'c++',
      'hpp',
      'hh',
      'hxx',
      'h++',
      'inl',
      'ipp',
      'tpp',
      'cu',
      'cuh',
      'ino',
      'cppm',
      'ixx',
      'glsl',
      'vert',
      'frag',
      'hlsl',
      'wgsl',
      'metal',
    ],
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
  { id: 'vala', extensions: ['vala', 'vapi'], family: 'braces' },
  { id: 'd', extensions: ['d'], family: 'braces' },
  { id: 'verilog', extensions: ['v', 'sv', 'svh'], aliases: ['systemverilog'], family: 'lua' },
  { id: 'swift', extensions: ['swift'], family: 'braces' },
  {
    id: 'objective-c',
    extensions: ['m', 'mm'],
    aliases: ['objc', 'objectivec'],
    family: 'braces',
  },
  { id: 'dart', extensions: ['dart'], family: 'braces' },
  { id: 'zig', extensions: ['zig'], family: 'braces' },
  { id: 'solidity', extensions: ['sol'], family: 'braces' },
  { id: 'php', extensions: ['php', 'phtml'], family: 'braces', grammar: 'php' },
  {
    id: 'ruby',
    extensions: ['rb', 'rake', 'gemspec', 'ru', 'rbi', 'erb', 'cr', 'podspec', 'jbuilder'],
    filenames: ['rakefile', 'gemfile', 'vagrantfile', 'podfile', 'fastfile', 'brewfile'],
    aliases: ['rb'],
    family: 'ruby',
    grammar: 'ruby',
  },
  { id: 'elixir', extensions: ['ex', 'exs', 'heex', 'eex'], family: 'elixir' },
  { id: 'erlang', extensions: ['erl', 'hrl', 'escript'], family: 'elixir' },
  { id: 'haskell', extensions: ['hs', 'lhs'], family: 'haskell' },
  { id: 'ocaml', extensions: ['ml', 'mli'], family: 'haskell' },
  { id: 'fsharp', extensions: ['fs', 'fsx', 'fsi'], aliases: ['f#'], family: 'haskell' },
  { id: 'clojure', extensions: ['clj', 'cljs', 'cljc', 'edn', 'bb'], family: 'lisp' },
  {
    id: 'lisp',
    extensions: ['lisp', 'lsp', 'cl', 'el', 'scm', 'rkt', 'ss'],
    aliases: ['elisp', 'scheme', 'racket'],
    family: 'lisp',
  },
  { id: 'lua', extensions: ['lua', 'luau'], family: 'lua' },
  { id: 'vim', extensions: ['vim'], family: 'lua' },
  { id: 'r', extensions: ['r'], family: 'braces' },
  { id: 'julia', extensions: ['jl'], family: 'ruby' },
  { id: 'pascal', extensions: ['pas', 'dpr'], family: 'lua' },
  { id: 'fortran', extensions: ['f', 'f90', 'f95', 'f03', 'f08', 'for'], family: 'lua' },
  { id: 'perl', extensions: ['pl', 'pm', 't'], family: 'braces' },
  { id: 'elm', extensions: ['elm'], family: 'haskell' },
  { id: 'nim', extensions: ['nim', 'nims'], family: 'python' },
  { id: 'nix', extensions: ['nix'], family: 'braces' },
  { id: 'vb', extensions: ['vb'], aliases: ['visual-basic'], family: 'lua' },
  { id: 'tcl', extensions: ['tcl'], family: 'shell' },
  { id: 'awk', extensions: ['awk'], family: 'braces' },
  { id: 'batch', extensions: ['bat', 'cmd'], aliases: ['bat'], family: 'shell' },
  { id: 'm4', extensions: ['m4', 'ac'], aliases: ['autoconf'], family: 'shell' },
  { id: 'assembly', extensions: ['s', 'asm'], aliases: ['asm'], family: 'shell' },
  {
    id: 'bash',
    extensions: ['sh', 'bash', 'zsh', 'bats', 'ksh', 'fish'],
    filenames: ['.bashrc', '.bash_profile', '.zshrc', '.profile'],
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
  { id: 'sql', extensions: ['sql', 'psql', 'pgsql'], family: 'sql' },
  { id: 'graphql', extensions: ['graphql', 'gql', 'graphqls'], family: 'braces' },
  { id: 'protobuf', extensions: ['proto'], aliases: ['proto'], family: 'braces' },
  { id: 'thrift', extensions: ['thrift'], family: 'braces' },
  { id: 'prisma', extensions: ['prisma'], family: 'braces' },
  { id: 'bicep', extensions: ['bicep'], family: 'braces' },
  { id: 'css', extensions: ['css'], family: 'markup', grammar: 'css' },
  { id: 'scss', extensions: ['scss', 'sass', 'less', 'styl', 'pcss'], family: 'markup' },
  {
    id: 'html',
    extensions:
      'html htm xhtml ejs hbs mustache jinja j2 njk twig liquid pug haml slim jsp cshtml razor'.split(
        ' ',
      ),
    family: 'markup',
  },
  {
    id: 'xml',
    extensions: [
      'xml',
      'dtd',
      'xsd',
      'csproj',
      'fsproj',
      'vbproj',
      'vcxproj',
      'props',
      'targets',
      'xsl',
      'xslt',
      'xaml',
      'wsdl',
      'plist',
    ],
    family: 'markup',
  },
  { id: 'hcl', extensions: ['hcl', 'tf', 'tfvars'], aliases: ['terraform'], family: 'config' },
  {
    id: 'dockerfile',
    extensions: ['dockerfile'],
    filenames: ['dockerfile', 'containerfile'],
    family: 'config',
  },
  { id: 'gomod', extensions: [], filenames: ['go.mod', 'go.work'], family: 'config' },
  { id: 'gotmpl', extensions: ['tpl', 'gotmpl'], family: 'config' },
  { id: 'yaml', extensions: ['yaml', 'yml'], aliases: ['yml'], family: 'config' },
  { id: 'json', extensions: ['json', 'jsonc', 'json5'], family: 'config' },
  { id: 'toml', extensions: ['toml'], filenames: ['pipfile'], family: 'config' },
  {
    id: 'ini',
    extensions: ['ini', 'cfg', 'conf', 'properties', 'service', 'desktop'],
    filenames: ['.editorconfig'],
    family: 'config',
    grammar: 'ini',
  },
  {
    id: 'make',
    extensions: ['mk', 'make', 'am'],
    filenames: ['makefile', 'gnumakefile', 'justfile'],
    family: 'config',
  },
  { id: 'cmake', extensions: ['cmake'], filenames: ['cmakelists.txt'], family: 'config' },
  {
    id: 'markdown',
    extensions: ['md', 'mdx', 'markdown', 'qmd', 'rmd'],
    aliases: ['md'],
    family: 'prose',
  },
  { id: 'restructuredtext', extensions: ['rst'], aliases: ['rst'], family: 'prose' },
  { id: 'gherkin', extensions: ['feature'], aliases: ['cucumber'], family: 'prose' },
  {
    id: 'text',
    extensions: ['txt', 'text', 'adoc', 'asciidoc', 'org', 'tex', 'textile'],
    filenames: 'readme install changelog changes news todo authors contributing'.split(' '),
    aliases: ['txt'],
    family: 'prose',
  },
]

const byId = new Map(LANGUAGES.map((language) => [language.id, language]))

export function languageById(id: string): Language | undefined {
  return byId.get(id)
}
