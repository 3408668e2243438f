import { expect, it } from 'vitest'
import { loadsCode } from './loader-variables.ts'

it('knows variables by which programs load code, and no keys', () => {
  const loading = [
    'PATH',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONSTARTUP',
    'BASH_ENV',
    'ENV',
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'GIT_SSH_COMMAND',
    'GIT_ASKPASS',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_VALUE_0',
    'npm_config_script_shell',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
  ]
  expect(loading.filter((name) => !loadsCode(name))).toEqual([])
  const others = ['API_KEY', 'GIT_TOKEN', 'NPM_CONFIG_TOKEN', 'HOME', 'LDAP_URL', 'ENVIRONMENT']
  expect(others.filter(loadsCode)).toEqual([])
})
