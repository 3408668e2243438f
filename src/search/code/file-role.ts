/** How likely a file is what someone asks for, judged by its path alone. */
export type FileRole = 'source' | 'test' | 'example' | 'legacy' | 'barrel' | 'declaration'

const RULES: readonly (readonly [FileRole, RegExp])[] = [
  [
    'test',
    /(^|\/)(tests?|specs?|__tests__|testing|testdata|fixtures?|mocks?)\/|(^|\/)(test_[^/]*|conftest\.py|[^/]*([_.-](test|tests|spec|specs)|Tests?|Specs?|TestCase))\.[^/.]+$/,
  ],
  ['example', /(^|\/)(_?examples?|samples?|demos?|docs?_src|docs?|benchmarks?|bench)\//i],
  ['legacy', /(^|\/)[^/]*(legacy|compat|deprecated)[^/]*(\/|\.)/i],
  ['declaration', /\.d\.[cm]?ts$/],
  ['barrel', /(^|\/)(__init__\.py|package-info\.java|index\.[cm]?[jt]sx?|mod\.rs)$/],
]

export function fileRole(path: string): FileRole {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? 'source'
}
