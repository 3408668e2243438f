import type { TestProject } from 'vitest/node'
import { startRedis } from './redis.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    redisUrl: string
  }
}

/** Global set-up of the `database` project: one server for all its files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis()
  project.provide('redisUrl', server.url)
  return async () => server.stop()
}
