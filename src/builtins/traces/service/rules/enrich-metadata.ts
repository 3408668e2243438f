export type Metadata = Readonly<Record<string, unknown>>

const ALIASES = new Map(
  Object.entries({
    javascript: 'js jsx mjs node',
    typescript: 'ts tsx',
    python: 'py python3',
    ruby: 'rb',
    rust: 'rs',
    go: 'golang',
    bash: 'sh shell zsh console',
    cpp: 'c++',
    csharp: 'cs',
    kotlin: 'kt',
    docker: 'dockerfile',
  }).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name])),
)

const NOT_A_LANGUAGE = new Set('text txt plain diff output log json yaml yml toml ini'.split(' '))

const LANGUAGES: readonly (readonly [string, RegExp])[] = [
  ['python', /^\s*(?:def \w+\(.*\):|from [\w.]+ import |import \w+$)/m],
  ['rust', /\bfn \w+\(.*\)(?: ->|\s*\{)|\blet mut \b|\bimpl \w+/],
  ['go', /\bfunc (?:\(\w+ \*?\w+\) )?\w+\(.*\)|^package \w+$/m],
  ['typescript', /\binterface \w+ \{|: (?:string|number|boolean|Promise<)\b|\bimport type /],
  ['javascript', /\b(?:const|let) \w+ =|=>\s*[{(]|\brequire\(['"]/],
  ['java', /\bpublic (?:static |final )*(?:class|void)\b/],
  ['ruby', /^\s*(?:def \w+|require ['"]|end)$/m],
  ['sql', /\b(?:select .+ from|insert into|create table|alter table)\b/i],
]

const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['fastapi', /\bfastapi\b/i],
  ['django', /\bdjango\b/i],
  ['flask', /\bflask\b/i],
  ['next', /\bnext\.js\b|\bnextjs\b|from ['"]next\//i],
  ['nuxt', /\bnuxt\b/i],
  ['react', /\breact\b/i],
  ['vue', /\bvue(?:\.js)?\b/i],
  ['svelte', /\bsvelte(?:kit)?\b/i],
  ['angular', /\bangular\b|@angular\//i],
  ['express', /\bexpress(?:\.js)?\(|from ['"]express['"]|require\(['"]express['"]\)/i],
  ['rails', /\brails\b|ActiveRecord/],
  ['spring', /\bspring ?boot\b|@SpringBootApplication|org\.springframework/i],
]

const FENCE = /^```([\w+#-]+)/gm

/** Adds the language and framework that the solution shows, unless the sender gave them. */
export function enrichMetadata(metadata: Metadata, solution: string): Metadata {
  const language = metadata['language'] ?? findLanguage(solution)
  const framework = metadata['framework'] ?? FRAMEWORKS.find(([, sign]) => sign.test(solution))?.[0]
  return {
    ...metadata,
    ...(language !== undefined && { language }),
    ...(framework !== undefined && { framework }),
  }
}

/** Returns a shell only if there is no other language, because most fixes include commands. */
function findLanguage(solution: string): string | undefined {
  const fenced = Array.from(solution.matchAll(FENCE), ([, name = '']) => {
    const lower = name.toLowerCase()
    return ALIASES.get(lower) ?? lower
  }).filter((language) => !NOT_A_LANGUAGE.has(language))
  return (
    fenced.find((language) => language !== 'bash') ??
    LANGUAGES.find(([, sign]) => sign.test(solution))?.[0] ??
    fenced[0]
  )
}
