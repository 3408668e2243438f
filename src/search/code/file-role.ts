/** What kind of file a path promises. */
export type FileRole =
  | 'source'
  | 'test'
  | 'example'
  | 'legacy'
  | 'declaration'
  | 'package'
  | 'module'

const RULES: readonly (readonly [FileRole, RegExp])[] = [
  ['test', /(^|\/)(tests?|specs?|__tests__|testing|testdata|fixtures?|mocks?)\//],
  ['test', /(^|\/)(conftest\.py|test_[^/]*\.py)$/],
  ['test', /([_.-](tests?|specs?|test-d)|[a-z](Tests?|Specs?|TestCase))\.[^/.]+$/],
  ['example', /(^|\/)(_?examples?|samples?|demos?|docs?_src|docs?|benchmarks?|bench)\//i],
  ['legacy', /(^|\/)[^/]*(legacy|compat|deprecated)[^/]*(\/|\.)/i],
  ['declaration', /\.d\.[cm]?ts$/],
  ['package', /(^|\/)(__init__\.py|package-info\.java)$/],
  ['module', /(^|\/)(index\.[cm]?[jt]sx?|mod\.rs)$/],
]

export function fileRole(path: string): FileRole {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? 'source'
}
