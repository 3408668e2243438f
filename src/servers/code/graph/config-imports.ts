import type { ImportRef } from './import-ref.ts'

type Extract = (lines: readonly string[]) => ImportRef[]

/** Each pattern is tried on each line; group 1 is what is referred to. */
function onLines(...patterns: readonly (readonly [pattern: RegExp, kind: string])[]): Extract {
  return (lines) =>
    lines.flatMap((text, at) =>
      text === ''
        ? []
        : patterns.flatMap(([pattern, kind]) => {
            const specifier = pattern.exec(text)?.[1]
            return specifier === undefined
              ? []
              : [{ specifier, kind, line: at + 1, type: 'reference' as const }]
          }),
    )
}

const q = `["']?`
const githubActions = onLines(
  [new RegExp(`^\\s*-?\\s*uses:\\s*${q}([^"'\\s#]+)`), 'module_source'],
  [new RegExp(`^\\s*(?:image|container):\\s*${q}([\\w./:@-]+)`), 'image'],
  [/^\s*needs:\s*\[?\s*([\w-]+)/, 'needs'],
)

const gitlabCi = onLines(
  [new RegExp(`^\\s*-?\\s*local:\\s*${q}([^"'\\s]+)`), 'include_local'],
  [new RegExp(`^\\s*-?\\s*remote:\\s*${q}([^"'\\s]+)`), 'include_remote'],
  [new RegExp(`^\\s*-?\\s*template:\\s*${q}([^"'\\s]+)`), 'include_template'],
  [new RegExp(`^\\s*-?\\s*project:\\s*${q}([^"'\\s]+)`), 'include_project'],
  [new RegExp(`^include:\\s*${q}([^"'\\s]+)`), 'include'],
  [/^\s*extends:\s*\[?\s*([.\w-]+)/, 'extends'],
  [/^\s*needs:\s*\[\s*["']?([\w-]+)/, 'needs'],
  [new RegExp(`^\\s*image:\\s*${q}([\\w./:@-]+)`), 'image'],
)

const dockerCompose = onLines(
  [new RegExp(`^\\s*image:\\s*${q}([\\w./:@\${}-]+)`), 'image'],
  [new RegExp(`^\\s*(?:build|context|dockerfile|env_file):\\s*${q}([\\w./-]+)`), 'include'],
  [new RegExp(`^\\s*file:\\s*${q}([\\w./-]+)`), 'extends'],
  [/^\s+depends_on:\s*\[\s*["']?([\w-]+)/, 'depends_on'],
)

const terraform = onLines(
  [/^\s*source\s*=\s*"([^"]+)"/, 'module_source'],
  [/^\s*provider\s+"([^"]+)"/, 'provider'],
  [/(?:templatefile|file)\(\s*"(?:\$\{path\.module\}\/)?([^"$]+)"/, 'template'],
  [/^\s*data\s+"terraform_remote_state"\s+"([^"]+)"/, 'remote_state'],
)

const kubernetes = onLines([new RegExp(`^\\s*-?\\s*image:\\s*${q}([\\w./:@-]+)`), 'image'])

const argocd = onLines(
  [new RegExp(`^\\s*-?\\s*repoURL:\\s*${q}([^"'\\s]+)`), 'source_repo'],
  [new RegExp(`^\\s*path:\\s*${q}([^"'\\s]+)`), 'source_path'],
  [new RegExp(`^\\s*chart:\\s*${q}([^"'\\s]+)`), 'source_chart'],
  [new RegExp(`^\\s*server:\\s*${q}([^"'\\s]+)`), 'destination'],
)

const helmChart: Extract = (lines) => [
  ...onLines([new RegExp(`^\\s*repository:\\s*${q}([^"'\\s]+)`), 'source_repo'])(lines),
  ...onLines([new RegExp(`^\\s*-\\s*name:\\s*${q}([\\w.-]+)`), 'subchart'])(lines),
]

const helmTemplate = onLines([/\{\{-?\s*(?:include|template)\s+"([^"]+)"/, 'template'])

const dockerfile = onLines(
  [/^FROM\s+(?:--\S+\s+)?(\S+)/i, 'image'],
  [/^(?:COPY|ADD)\s+(?:--(?!from)\S+\s+)*(?!--)([\w./-]+)\s/i, 'include'],
)

const LINK = /\[[^\]]*\]\(\s*<?([^)\s>#]+)(?:#[^)\s]*)?[^)]*\)/g
const INLINE =
  /`((?:[\w.-]+\/)+[\w.-]+\.\w+|[\w-]+\.(?:ts|tsx|js|py|go|rs|java|rb|php|md|ya?ml|json|toml|sh))`/g

const markdown: Extract = (lines) =>
  lines.flatMap((text, at) => {
    if (!text.includes('](') && !text.includes('`')) return []
    return [
      ...[...text.matchAll(LINK)]
        .filter(([, target = '']) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
        .map(([, specifier = '']) => ({
          specifier,
          kind: 'doc_link',
          line: at + 1,
          type: 'reference' as const,
        })),
      ...[...text.matchAll(INLINE)].map(([, specifier = '']) => ({
        specifier,
        kind: 'doc_inline_code',
        line: at + 1,
        type: 'reference' as const,
      })),
    ]
  })

const EXTRACTORS: Readonly<Record<string, Extract>> = {
  'github-actions': githubActions,
  'gitlab-ci': gitlabCi,
  'docker-compose': dockerCompose,
  argocd,
  kubernetes,
  'helm-chart': helmChart,
  'helm-template': helmTemplate,
  terraform,
  hcl: terraform,
  dockerfile,
  markdown,
}

/** What configuration and documents refer to, by the grammar or the language of the file. */
export function configImports(grammar: string, lines: readonly string[]): ImportRef[] {
  return EXTRACTORS[grammar]?.(lines) ?? []
}

export function hasConfigImports(grammar: string): boolean {
  return grammar in EXTRACTORS
}
