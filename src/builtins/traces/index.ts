import { defineBuiltin } from '../kit/define-builtin.ts'
import { TRACES_SETTINGS } from './settings.ts'

const DEFAULT_PORT = '8080'
/** What CommonTrace calls where it has a key and no address. */
const DEFAULT_SERVICE = 'http://localhost:8000'

export const traces = defineBuiltin({
  name: 'traces',
  title: 'What agents have learnt.',
  description: 'Problems that agents have solved before',
  advice: 'Before you solve a problem, search what agents have solved: search_traces of traces.',
  settings: TRACES_SETTINGS,
  open: async (context) => (await import('./open-traces-service.ts')).openTracesService(context),
  standalone: {
    port: `MCP_PORT, else ${DEFAULT_PORT}`,
    defaults: async (env) => ({ env: { MCP_PORT: DEFAULT_PORT, ...env } }),
    replaces: {
      name: 'CommonTrace',
      names: async () => (await import('./common-trace-names.ts')).ADAPTER_NAMES,
      readsDotEnv: true,
      listensForAll: true,
      withDefaults: ({ COMMONTRACE_API_KEY: key, PORTOLAN_TRACES_URL: url, ...env }) => ({
        ...env,
        ...(key && { COMMONTRACE_API_KEY: key, PORTOLAN_TRACES_URL: DEFAULT_SERVICE }),
        ...(url && { PORTOLAN_TRACES_URL: url }),
      }),
    },
    describe: ({ env, home }) =>
      env['PORTOLAN_TRACES_URL']
        ? `calls the service at ${env['PORTOLAN_TRACES_URL']}`
        : `keeps its traces in ${env['PORTOLAN_DATABASE_URL'] ? 'PostgreSQL' : home}`,
    health: { status: 'healthy', service: 'commontrace-mcp' },
    passesApiKey: true,
  },
})
