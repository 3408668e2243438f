import { unquoted } from '../graph/extract/yaml-entries.ts'

/** A named part of a configuration or document. */
export interface CodeBlock {
  /** 1-based. */
  readonly line: number
  readonly type: string
  /** `job:build`, `resource.aws_s3_bucket.data`, `kind:Deployment`. */
  readonly hierarchy: string
}

type Named = Omit<CodeBlock, 'line'>
/** Reads a file from top to bottom; may remember which block it is in. */
type Reader = () => (line: string) => Named | undefined

const named = (type: string, name: string | undefined): Named | undefined =>
  name === undefined || name === '' ? undefined : { type, hierarchy: `${type}:${unquoted(name)}` }

/** Each pattern finds a block of its type; group 1 is the name. */
const patterns =
  (...rules: readonly (readonly [RegExp, string])[]): Reader =>
  () =>
  (line) => {
    for (const [pattern, type] of rules) {
      const found = named(type, pattern.exec(line)?.[1])
      if (found) return found
    }
    return undefined
  }

const KEY = /^([\w.'"/-]+):(?:\s|$)/

/** The keys one level below a top key are blocks of `type`; other top keys are plain keys. */
const under =
  (
    parent: string,
    type: string,
    more: (line: string) => Named | undefined = () => undefined,
  ): Reader =>
  () => {
    let top = ''
    return (line) => {
      const [, key] = KEY.exec(line) ?? []
      if (key !== undefined) {
        top = key
        return key === parent ? undefined : named('key', key)
      }
      const [, child] = /^ {2}([\w.-]+):(?:\s|$)/.exec(line) ?? []
      return top === parent && child !== undefined ? named(type, child) : more(line)
    }
  }

const step = (line: string): Named | undefined => {
  const [, name, action] = /^\s+-\s+(?:name:\s*(.+)|uses:\s*(\S+))/.exec(line) ?? []
  return named('step', name ?? action)
}

const GITLAB_KEYS =
  /^(?:stages|variables|include|image|default|workflow|services|before_script|after_script|cache)$/

const gitlab: Reader = () => {
  let job = ''
  return (line) => {
    const [, key] = KEY.exec(line) ?? []
    if (key !== undefined) {
      job = key
      if (key.startsWith('.')) return named('template', key)
      return named(GITLAB_KEYS.test(key) ? 'key' : 'job', key)
    }
    const [, child] = /^ {2}([\w-]+):/.exec(line) ?? []
    return child === undefined ? undefined : { type: 'job-key', hierarchy: `job:${job}.${child}` }
  }
}

const hcl: Reader = () => (line) => {
  const [, type, labels] = /^([a-z_][\w-]*)((?:\s+"[^"]*")*)\s*\{/.exec(line) ?? []
  if (type !== undefined) {
    const names = [...(labels ?? '').matchAll(/"([^"]*)"/g)].map(([, name]) => name)
    return { type, hierarchy: [type, ...names].join('.') }
  }
  return named('attribute', /^([a-z_]\w*)\s*=/.exec(line)?.[1])
}

const dockerfile: Reader = () => (line) => {
  const [, image, stage] = /^FROM\s+(?:--\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?/i.exec(line) ?? []
  if (image !== undefined)
    return stage === undefined ? named('image', image) : named('stage', stage)
  const [, from] = /^(?:COPY|ADD)\s+.*--from=(\S+)/i.exec(line) ?? []
  if (from !== undefined) return named('from', from)
  const [, word = '', name] = /^(ARG|ENV|EXPOSE|WORKDIR|LABEL)\s+([^\s=]+)/i.exec(line) ?? []
  return named(word.toLowerCase().replace('expose', 'port'), name)
}

const kind = [/^kind:\s*(\S+)/, 'kind'] as const

const READERS: Readonly<Record<string, Reader>> = {
  'github-actions': under('jobs', 'job', step),
  'gitlab-ci': gitlab,
  'docker-compose': under('services', 'service'),
  argocd: patterns(
    kind,
    [KEY, 'section-key'],
    [/^ {2}([\w.-]+):/, 'nested-key'],
    [/^\s+-\s+([\w.-]+):/, 'list-item'],
  ),
  kubernetes: patterns(kind, [KEY, 'key']),
  'helm-chart': patterns([/^\s*-\s+name:\s*(\S+)/, 'dependency'], [KEY, 'key']),
  'helm-template': patterns([/\{\{-?\s*define\s+"([^"]+)"/, 'define'], kind, [
    /\{\{-?\s*if\s+([^}]+?)\s*-?\}\}/,
    'if',
  ]),
  'helm-values': patterns([/^##+\s*(?:@section\s+)?([A-Z].*)$/, 'section'], [KEY, 'key']),
  terraform: hcl,
  hcl,
  dockerfile,
  yaml: patterns([KEY, 'key']),
  toml: patterns([/^\[+([^\]]+)\]+/, 'section']),
  ini: patterns([/^\[([^\]]+)\]/, 'section']),
  gotmpl: patterns([/\{\{-?\s*define\s+"([^"]+)"/, 'define']),
  markdown: patterns([/^#{1,6}\s+(.+?)\s*#*$/, 'section']),
}

export function scanBlocks(languageOrGrammar: string, lines: readonly string[]): CodeBlock[] {
  const read = READERS[languageOrGrammar]?.()
  if (!read) return []
  const blocks: CodeBlock[] = []
  for (const [at, line] of lines.entries()) {
    if (line === '' || line.length > 400) continue
    const block = read(line)
    if (block) blocks.push({ line: at + 1, ...block })
  }
  return blocks
}
