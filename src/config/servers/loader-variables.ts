import { isSecretName } from '../../base/secrets/secrets.ts'

/**
 * Variables by which programs, interpreters, package runners and git load or run code. One list, for
 * all places that must not take them from where nobody reads them.
 */
const NAMES = new Set([
  'PATH',
  // Shells
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'SHELLOPTS',
  'ZDOTDIR',
  // Interpreters
  'BUN_INSPECT_PRELOAD',
  'BUN_OPTIONS',
  'CLASSPATH',
  'DOTNET_STARTUP_HOOKS',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'LUA_INIT',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PERL5DB',
  'PERL5LIB',
  'PERL5OPT',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'PYTHONHOME',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'RUBYLIB',
  'RUBYOPT',
  // The C library
  'GCONV_PATH',
])

const PREFIXES = ['DYLD_', 'GIT_', 'LD_', 'NPM_CONFIG_', 'PIP_', 'UV_']

/**
 * Whether a variable can make a program run code; the letter case of some of them does not count. A
 * key such as GIT_TOKEN loads nothing.
 */
export function loadsCode(variable: string): boolean {
  const name = variable.toUpperCase()
  if (NAMES.has(name)) return true
  return !isSecretName(name) && PREFIXES.some((prefix) => name.startsWith(prefix))
}
