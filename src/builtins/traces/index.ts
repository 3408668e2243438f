import { defineBuiltin } from '../kit/define-builtin.ts'
import { TRACES_SETTINGS } from './settings.ts'

const DEFAULT_PORT = '8080'

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
    withOriginalNames: async (env) =>
      (await import('./common-trace-names.ts')).withCommonTraceNames(env),
    health: { status: 'healthy', service: 'commontrace-mcp' },
    passesApiKey: true,
  },
})
