import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { checkConfig } from '../check.ts'
import { loadConfig } from '../load.ts'
import { retiredVariables, withoutRetired } from './retired-settings.ts'

it('leaves out what is no longer a setting, and says what to do', () => {
  const content = {
    scripts: { threads: 3, wallBytes: 1, logChars: 2 },
    upstreams: { restartBackoffMs: { min: 5 } },
    limits: 7,
  }
  expect(withoutRetired(content, 'p.yaml')).toEqual({
    value: { scripts: { threads: 3 }, upstreams: {}, limits: 7 },
    warnings: [
      'p.yaml: scripts.wallBytes is no longer a setting since 0.2 (it follows from scripts.heapBytes); remove the line',
      'p.yaml: scripts.logChars is no longer a setting since 0.2; remove the line',
      'p.yaml: upstreams.restartBackoffMs is no longer a setting since 0.2; remove the line',
    ],
  })
})

it('does the same for variables', () => {
  const env = {
    PORTOLAN_SCRIPTS_LOG_CHARS: '5',
    PORTOLAN_UPSTREAMS_RESTART_BACKOFF_MS_MIN: '5',
    PORTOLAN_LIMITS_REPLICAS: '',
    PORTOLAN_SCRIPTS_THREADS: '2',
  }
  expect(retiredVariables(env)).toEqual([
    'environment: PORTOLAN_SCRIPTS_LOG_CHARS is no longer a setting since 0.2; unset it',
    'environment: PORTOLAN_UPSTREAMS_RESTART_BACKOFF_MS_MIN is no longer a setting since 0.2; unset it',
  ])
})

it('the gateway starts with such a file and warns, and `check` says it too', () => {
  const folder = tempFolder()
  const file = folder.write('data/portolan.yaml', {
    limits: { replicas: 3 },
    scripts: { wallBytes: 99, threads: 3 },
  })
  const env = {
    HOME: folder.path,
    PORTOLAN_HOME: folder.file('data'),
    PORTOLAN_CACHE_MAX_BYTES: '5',
  }
  const { settings, warnings } = loadConfig({ cwd: folder.path, env })
  expect(settings.scripts.threads).toBe(3)
  const said = [
    `${file}: limits.replicas is no longer a setting since 0.2; remove the line`,
    `${file}: scripts.wallBytes is no longer a setting since 0.2 (it follows from scripts.heapBytes); remove the line`,
    'environment: PORTOLAN_CACHE_MAX_BYTES is no longer a setting since 0.2; unset it',
  ]
  expect(warnings).toEqual(said)
  expect(checkConfig({ cwd: folder.path, env })).toMatchObject({ ok: true, warnings: said })
})
