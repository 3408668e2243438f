import { createContext, runInContext } from 'node:vm'

/** What the work gives; fails where it takes longer, even if it never comes back by itself. */
export function within<Value>(ms: number, work: () => Value): Value {
  const done: Value[] = []
  const context = createContext({ run: () => void done.push(work()) })
  runInContext('run()', context, { timeout: ms })
  const [value] = done
  if (value === undefined) throw new Error('The work gave nothing')
  return value
}
