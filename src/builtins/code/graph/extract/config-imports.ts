import type { ImportRef } from '../import-ref.ts'
import { markdownImports } from './markdown-imports.ts'
import { entriesUnder, insideOf } from './yaml-entries.ts'

type Extract = (lines: readonly string[]) => ImportRef[]

const reference = (specifier: string, kind: string, line: number): ImportRef => ({
  specifier,
  kind,
  line,
  type: 'reference',
})

/** Tries each pattern on each line; group 1 is the specifier. */
function onLines(...patterns: readonly (readonly [pattern: RegExp, kind: string])[]): Extract {
  return (lines) =>
    lines.flatMap((text, at) =>
      text === ''
        ? []
        : patterns.flatMap(([pattern, kind]) => {
            const specifier = pattern.exec(text)?.[1]
            return specifier === undefined ? [] : [reference(specifier, kind, at + 1)]
          }),
    )
}

/** Extracts the entries under a YAML key, in any notation. */
const under =
  (key: string, kind: string): Extract =>
  (lines) =>
    entriesUnder(lines, key).map(({ value, line }) => reference(value, kind, line))

const all =
  (...parts: readonly Extract[]): Extract =>
  (lines) =>
    parts.flatMap((part) => part(lines)).toSorted((a, b) => a.line - b.line)

/** Changes the kind of the references inside a YAML block. */
const within =
  (block: string, from: string, to: string, extract: Extract): Extract =>
  (lines) => {
    const isInside = insideOf(lines, block)
    return extract(lines).map((ref) =>
      ref.kind === from && isInside(ref.line) ? { ...ref, kind: to } : ref,
    )
  }

const q = `["']?`
const image = [new RegExp(`^\\s*-?\\s*image:\\s*${q}([\\w./:@\${}-]+)`), 'image'] as const

const githubActions = within(
  'services',
  'image',
  'service',
  all(
    onLines(
      [new RegExp(`^\\s*-?\\s*uses:\\s*${q}docker://([^"'\\s#]+)`), 'image'],
      [new RegExp(`^\\s*-?\\s*uses:\\s*${q}(?!docker:)([^"'\\s#]+)`), 'module_source'],
      [new RegExp(`^\\s*container:\\s*${q}([\\w./:@-]+)`), 'image'],
      image,
    ),
    under('needs', 'needs'),
    (lines) =>
      entriesUnder(lines, 'on', '').map(({ value, line }) => reference(value, 'trigger', line)),
  ),
)

const gitlabCi = within(
  'trigger',
  'include_project',
  'project',
  all(
    onLines(
      [new RegExp(`^\\s*-?\\s*local:\\s*${q}([^"'\\s]+)`), 'include_local'],
      [new RegExp(`^\\s*-?\\s*remote:\\s*${q}([^"'\\s]+)`), 'include_remote'],
      [new RegExp(`^\\s*-?\\s*template:\\s*${q}([^"'\\s]+)`), 'include_template'],
      [new RegExp(`^\\s*-?\\s*project:\\s*${q}([^"'\\s]+)`), 'include_project'],
      [new RegExp(`^\\s+trigger:\\s*${q}([^"'\\s]+)`), 'trigger'],
      image,
    ),
    under('include', 'include'),
    under('extends', 'extends'),
    under('needs', 'needs'),
    under('services', 'service'),
  ),
)

const dockerCompose = all(
  onLines(
    image,
    [new RegExp(`^\\s*(?:build|context|dockerfile):\\s*${q}([\\w./-]+)`), 'include'],
    [new RegExp(`^\\s*file:\\s*${q}([\\w./-]+)`), 'extends'],
  ),
  under('include', 'include'),
  under('env_file', 'variable_file'),
  under('depends_on', 'depends_on'),
)

const BLOCK = /^(?:resource|variable|module|provider|terraform|data|output|locals|moved|import)\b/

const terraform: Extract = (lines) => {
  const isProvider = insideOf(lines, 'required_providers')
  const found = onLines(
    [/^\s*source\s*=\s*"([^"]+)"/, 'module_source'],
    [/^\s*provider\s+"([^"]+)"/, 'provider'],
    [/(?:templatefile|file)\(\s*"(?:\$\{path\.module\}\/)?([^"$]+)"/, 'template'],
    [/^\s*data\s+"terraform_remote_state"\s+"([^"]+)"/, 'remote_state'],
  )(lines).map((ref) => (isProvider(ref.line) ? { ...ref, kind: 'provider' } : ref))
  // A file with values only sets the variables declared in the `variables.tf` beside it.
  const isValues =
    lines.some((line) => /^\w+\s*=/.test(line)) && !lines.some((line) => BLOCK.test(line))
  return isValues ? [...found, reference('variables.tf', 'variable_file', 1)] : found
}

const argocd = within(
  'generators',
  'source_repo',
  'generator_repo',
  onLines(
    [new RegExp(`^\\s*-?\\s*repoURL:\\s*${q}([^"'\\s]+)`), 'source_repo'],
    [new RegExp(`^\\s*-?\\s*path:\\s*${q}([^"'\\s]+)`), 'source_path'],
    [new RegExp(`^\\s*-?\\s*chart:\\s*${q}([^"'\\s]+)`), 'source_chart'],
    [new RegExp(`^\\s*project:\\s*${q}([^"'\\s]+)`), 'project'],
    [new RegExp(`^\\s*server:\\s*${q}([^"'\\s]+)`), 'destination'],
  ),
)

const helmChart: Extract = (lines) => {
  const isDependency = insideOf(lines, 'dependencies')
  return [
    ...onLines(
      [new RegExp(`^\\s*-?\\s*repository:\\s*${q}([^"'\\s]+)`), 'source_repo'],
      [new RegExp(`^\\s*-?\\s*name:\\s*${q}([\\w.-]+)`), 'subchart'],
    )(lines)
      .filter(({ line }) => isDependency(line))
      .map((ref) => (ref.kind === 'subchart' ? { ...ref, names: [ref.specifier] } : ref)),
    reference('templates', 'chart_member', 1),
    reference('values.yaml', 'chart_member', 1),
    reference('../../Chart.yaml', 'subchart_of', 1),
  ]
}

const dockerfile = onLines(
  [/^FROM\s+(?:--\S+\s+)?(\S+)/i, 'image'],
  [/^(?:COPY|ADD)\s+(?:--(?!from)\S+\s+)*(?!--)([\w./-]+)\s/i, 'include'],
)

const EXTRACTORS: Readonly<Record<string, Extract>> = {
  'github-actions': githubActions,
  'gitlab-ci': gitlabCi,
  'docker-compose': dockerCompose,
  argocd,
  kubernetes: onLines(image),
  'helm-chart': helmChart,
  'helm-template': onLines([/\{\{-?\s*(?:include|template)\s+"([^"]+)"/, 'template'], image),
  terraform,
  hcl: terraform,
  dockerfile,
  markdown: markdownImports,
}

/** Extracts the references of configuration and documents, by the file's grammar or language. */
export function configImports(grammar: string, lines: readonly string[]): ImportRef[] {
  return EXTRACTORS[grammar]?.(lines) ?? []
}

export function hasConfigImports(grammar: string): boolean {
  return grammar in EXTRACTORS
}
