/** The kind of a file, by its path. */
export type FileRole =
  | 'source'
  | 'test'
  | 'example'
  | 'legacy'
  | 'foreign'
  | 'declaration'
  | 'package'
  | 'module'
  | 'prose'
  | 'data'

const RULES: readonly (readonly [FileRole, RegExp])[] = [
  // Build files say much about the product but are seldom what a query means.
  [
    'data',
    /(^|\/)((GNU)?makefile|dockerfile[^/]*|containerfile|jenkinsfile|vagrantfile|podfile|rakefile|gemfile|cmakelists\.txt|setup\.py|mix\.exs|package\.swift|build\.zig|[^/]+\.(mk|cmake|gradle(\.kts)?|gemspec|sbt))$/i,
  ],
  ['prose', /\.(md|mdx|markdown|rst|adoc|txt)$|(^|\/)(LICENSE|CHANGELOG|AUTHORS|NOTICE)[^/]*$/i],
  ['data', /\.(json|jsonc|ya?ml|toml|lock|xml|csv|ini|cfg|properties|svg|html?|s?css|sass|less)$/i],
  // Migrations record past changes, not how the code works now.
  ['data', /(^|\/)(migrations?|migrate)\/(.*\/)?\d{3,}[^/]*$/i],
  ['test', /(^|[/._-])(tests?|specs?|__tests__|unittests?|testdata|fixtures?|mocks?|e2e)\//i],
  ['test', /[a-z](Tests?|Specs?)\//],
  ['test', /(^|\/)(conftest\.py|tests?\.[^/.]+|test_[^/]*\.(py|rb|c|cc|cpp|r|jl))$/i],
  ['test', /(^|\/)test[_-]?(helpers?|utils?)\.[^/.]+$/i],
  ['test', /([_.-](tests?|specs?|test-d)|[a-z](Tests?|Specs?|TestCase))\.[^/.]+$/],
  [
    'example',
    /(^|\/)(_?examples?|samples?|demos?|docs?_src|docs?|man|manual|benchmarks?|bench)\//i,
  ],
  ['foreign', /(^|\/)(third[_-]?party|3rd[_-]?party|_?vendor(ed)?|externals?|deps)\//i],
  ['foreign', /([._-](pb|generated|gen|g)\.[^/.]+|_pb2(_grpc)?\.pyi?|\.designer\.cs)$/i],
  ['foreign', /(^|\/)(__)?generated(__)?\//i],
  // A whole library in one file, generated from the others.
  ['foreign', /(^|\/)(single[_-]?(include|header)s?|[^/]*amalgamat(ed|ion)[^/]*)(\/|\.[^/]+$)/i],
  ['legacy', /(^|\/)[^/]*(legacy|compat|deprecat)[^/]*(\/|\.)/i],
  ['declaration', /\.d\.[cm]?ts$/],
  ['package', /(^|\/)(__init__\.py|package-info\.java)$/],
  ['module', /(^|\/)(index\.[cm]?[jt]sx?|mod\.rs)$/],
]

export function fileRole(path: string): FileRole {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? 'source'
}
