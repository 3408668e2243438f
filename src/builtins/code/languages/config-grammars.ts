/** A dialect of a config language, recognised by the path and the text of a file. */
export interface ConfigGrammar {
  readonly id: string
  readonly base: string
  matches(path: string, text: string): boolean
}

const HELM_MARKERS =
  /\{\{-?\s*(?:\.Values|\.Release|\.Chart|include|template|define|if|range|with)\b/
const VALUES_KEYS =
  /^(?:replicaCount|image|nameOverride|fullnameOverride|serviceAccount|service|ingress|resources|nodeSelector|tolerations|affinity):/gm

const isYaml = (path: string): boolean => /\.ya?ml$/.test(path)
const isManifest = (text: string): boolean => /^apiVersion:/m.test(text) && /^kind:/m.test(text)

/** In order of precedence: the first match decides. */
export const CONFIG_GRAMMARS: readonly ConfigGrammar[] = [
  {
    id: 'github-actions',
    base: 'yaml',
    matches: (path, text) =>
      /(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/.test(path) &&
      /^(?:on|'on'|"on"):/m.test(text) &&
      /^jobs:/m.test(text),
  },
  {
    id: 'gitlab-ci',
    base: 'yaml',
    matches: (path, text) =>
      /(?:^|\/)\.gitlab-ci\.ya?ml$/.test(path) &&
      (/^stages:/m.test(text) ||
        (/^[ \t]+script:/m.test(text) && /^[ \t]*(?:image|stage):/m.test(text))),
  },
  {
    id: 'docker-compose',
    base: 'yaml',
    matches: (path, text) =>
      /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/.test(path) && /^services:/m.test(text),
  },
  {
    id: 'helm-chart',
    base: 'yaml',
    matches: (path, text) =>
      /(?:^|\/)Chart\.ya?ml$/.test(path) && /^apiVersion:/m.test(text) && /^name:/m.test(text),
  },
  {
    id: 'helm-template',
    base: 'gotmpl',
    matches: (path, text) =>
      /(?:^|\/)templates\/.*\.(?:ya?ml|tpl)$/.test(path) && HELM_MARKERS.test(text),
  },
  {
    id: 'helm-values',
    base: 'yaml',
    matches: (path, text) =>
      /(?:^|\/)values(?:-[^/]*)?\.ya?ml$/.test(path) &&
      new Set(text.match(VALUES_KEYS) ?? []).size >= 3,
  },
  {
    id: 'argocd',
    base: 'yaml',
    matches: (path, text) =>
      isYaml(path) && isManifest(text) && text.includes('argoproj.io') && !HELM_MARKERS.test(text),
  },
  {
    id: 'kubernetes',
    base: 'yaml',
    matches: (path, text) => isYaml(path) && isManifest(text) && !HELM_MARKERS.test(text),
  },
  { id: 'terraform', base: 'hcl', matches: (path) => /\.(?:tf|tfvars)$/.test(path) },
]

const MAYBE_CONFIG = /\.(?:ya?ml|tpl|tf|tfvars)$/

export function configGrammarOf(path: string, text: string): ConfigGrammar | undefined {
  if (!MAYBE_CONFIG.test(path)) return undefined
  return CONFIG_GRAMMARS.find((grammar) => grammar.matches(path, text))
}
