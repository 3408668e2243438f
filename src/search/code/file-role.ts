/** What kind of file a path promises. */
export type FileRole =
  | 'source'
  | 'test'
  | 'example'
  | 'legacy'
  | 'declaration'
  | 'package'
  | 'module'
  | 'prose'
  | 'data'

const RULES: readonly (readonly [FileRole, RegExp])[] = [
  ['prose', /\.(md|mdx|markdown|rst|adoc|txt)$|(^|\/)(LICENSE|CHANGELOG|AUTHORS|NOTICE)[^/]*$/i],
  ['data', /\.(json|jsonc|ya?ml|toml|lock|xml|csv|ini|cfg|properties|svg|html?|s?css)$/i],
  ['test', /(^|[/.])(tests?|specs?|__tests__|testdata|fixtures?|mocks?)\//i],
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
