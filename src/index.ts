export { type App, type AppOptions, createApp } from './app/app.ts'
export { openService } from './app/builtins/open-service.ts'
export { serveHttp } from './app/serve.ts'
export { type Replay, type ReplayOptions, replay } from './app/tapes/replay.ts'
export { type Config, type LoadOptions, loadConfig } from './config/load.ts'
export { watchConfig } from './config/reload/watch.ts'
export { serveStdio } from './fronts/stdio.ts'
export { GatewayError } from './gateway/errors.ts'
export { type Policy, createPolicy } from './gateway/agents/policy.ts'
export type { Rules } from './gateway/agents/rules.ts'
export type { Service, ServiceContext } from './protocol/service.ts'
export { createService } from './builtins/kit/create-service.ts'
export { defineTool } from './builtins/kit/define-tool.ts'
export { type Log, createLog } from './telemetry/log.ts'
export type { JsonObject } from './base/json/json.ts'
export type { PromptDefinition } from './protocol/answer-prompts.ts'
export type { ApiProblem } from './upstreams/openapi/call/api-problem.ts'
export type {
  ApiDemo,
  ApiExtension,
  ApiPort,
  ApiRefusal,
  ApiResources,
  CommandPort,
  CompositeTool,
} from './upstreams/openapi/extension.ts'
