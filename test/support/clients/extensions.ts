import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import type { RawClient } from './raw-client.ts'
import { CAPABILITIES } from './session.ts'

const PATIENT = { timeout: 50_000, interval: 50 }
const WITH_TASKS = { ...CAPABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** The entries of a list. */
export async function listed(client: RawClient, kind: string): Promise<JsonObject[]> {
  const { [kind]: entries } = await client.request(`${kind}/list`)
  return Array.isArray(entries) ? entries.filter(isObject) : []
}

/** Calls a tool as a task, as the client's era does. */
export async function beginTask(client: RawClient, params: JsonObject): Promise<unknown> {
  if (client.era === 'legacy') {
    const { task } = await client.request('tools/call', { ...params, task: {} })
    return isObject(task) ? task['taskId'] : undefined
  }
  const { resultType, taskId } = await knowingTasks(client, 'tools/call', params)
  expect(resultType).toBe('task')
  return taskId
}

/** Sends a request that declares support for tasks, which legacy clients need not do. */
export async function knowingTasks(
  client: RawClient,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const before = client.capabilities
  client.capabilities = WITH_TASKS
  const answer = client.request(method, params)
  client.capabilities = before
  return answer
}

/** Makes the client declare support for tasks from now on. */
export function withTasks(client: RawClient): RawClient {
  client.capabilities = WITH_TASKS
  return client
}

/** Polls until the task has this status. */
export async function untilStatus(
  client: RawClient,
  taskId: unknown,
  status: string,
): Promise<JsonObject> {
  let task: JsonObject = {}
  const seen = async () => {
    task = await knowingTasks(client, 'tasks/get', { taskId })
    return task['status']
  }
  await expect.poll(seen, PATIENT).toBe(status)
  return task
}

/** Waits for the result of a task. */
export async function taskResult(client: RawClient, taskId: unknown): Promise<JsonObject> {
  if (client.era === 'legacy') return client.request('tasks/result', { taskId })
  const task = await untilStatus(client, taskId, 'completed')
  return isObject(task['result']) ? task['result'] : {}
}

/** Reads the text of a resource. */
export async function readText(client: RawClient, uri: unknown): Promise<string> {
  const { contents } = await client.request('resources/read', { uri })
  const [content]: unknown[] = Array.isArray(contents) ? contents : []
  expect(content).toMatchObject({ uri })
  return isObject(content) ? String(content['text']) : ''
}

/** Reads the page of a tool, as a host does. */
export async function pageOf(client: RawClient, tool: string): Promise<string> {
  const found = (await listed(client, 'tools')).find(({ name }) => name === tool)
  const meta = found?.['_meta']
  const ui = isObject(meta) && isObject(meta['ui']) ? meta['ui'] : {}
  return readText(client, ui['resourceUri'])
}

/** Reads the text of a skill, which must match its digest. */
export async function readSkill(client: RawClient, { uri, resources }: JsonObject) {
  const text = await readText(client, uri)
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  expect(resources).toMatchObject([{ uri, digest }])
  return text
}
