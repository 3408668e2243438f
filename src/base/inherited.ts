import type { Environment } from './environment.ts'

/**
 * Variables that a child process needs to run at all: paths, language, proxies, and the display on
 * which a browser opens.
 */
export const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'TZ',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'PROGRAMFILES',
  'PROCESSOR_ARCHITECTURE',
  'TEMP',
  'PATHEXT',
  'COMSPEC',
]

/** Returns these variables of an environment; a child gets any other only by its configuration. */
export function inheritedFrom(env: Environment): Record<string, string> {
  return variablesFrom(env, INHERITED)
}

/** Returns the named variables of an environment, as far as they are set. */
export function variablesFrom(env: Environment, names: readonly string[]): Record<string, string> {
  const pairs = names.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}
