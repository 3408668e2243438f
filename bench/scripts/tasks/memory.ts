import { ENTITIES, RELATIONS } from '../data.ts'
import { PEOPLE } from '../sample-records.ts'
import { type Task, tally, top } from '../task.ts'

const OPEN = 'open nodes of the knowledge graph by name'

const numberIn = (name: string, word: string) =>
  Number(
    ENTITIES.find((entity) => entity.name === name)
      ?.observations.find((each) => each.startsWith(word))
      ?.split(' ')
      .at(-1),
  )
const ledBy = (person: string) =>
  RELATIONS.filter(({ from }) => from === person).map(({ to }) => to)

/** Tasks over a graph of people and projects, with the memory server and other official servers. */
export const MEMORY_TASKS: readonly Task[] = [
  {
    name: 'budget behind each of twelve people',
    kind: 'lookup',
    find: 'search nodes of the knowledge graph; read the whole graph',
    needs: ['memory.search_nodes', 'memory.read_graph'],
    code: `const { relations } = await tools.memory.read_graph({})
const people = [...new Set(relations.map(({ from }) => from))].sort()
const sums = {}
for (const person of people) {
  let sum = 0
  for (const { to } of relations.filter(({ from }) => from === person)) {
    const { entities } = await tools.memory.search_nodes({ query: to })
    const { observations } = entities.find(({ name }) => name === to)
    sum += Number(observations.find((each) => each.startsWith('budget')).split(' ')[1])
  }
  sums[person] = sum
}
return sums`,
    expected: () =>
      Object.fromEntries(
        [...new Set(RELATIONS.map(({ from }) => from))]
          .toSorted()
          .map((person) => [
            person,
            ledBy(person).reduce((sum, project) => sum + numberIn(project, 'budget'), 0),
          ]),
      ),
  },
  {
    name: 'when six people joined',
    kind: 'lookup',
    find: OPEN,
    needs: ['memory.open_nodes'],
    code: `const years = {}
for (const name of ['ada', 'bo', 'cleo', 'dara', 'elif', 'finn']) {
  const { entities } = await tools.memory.open_nodes({ names: [name] })
  years[name] = entities[0].observations.find((each) => each.startsWith('joined')).split(' ')[2]
}
return years`,
    expected: () =>
      Object.fromEntries(
        PEOPLE.slice(0, 6).map((name) => [name, String(numberIn(name, 'joined'))]),
      ),
  },
  {
    name: 'who leads the most projects of first priority',
    kind: 'aggregation',
    find: 'read the whole knowledge graph',
    needs: ['memory.read_graph'],
    code: `const { entities, relations } = await tools.memory.read_graph({})
const urgent = new Set(entities.filter(({ observations }) => observations.includes('priority 1')).map(({ name }) => name))
const counts = {}
for (const { from, to } of relations) if (urgent.has(to)) counts[from] = (counts[from] ?? 0) + 1
return Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0][0]`,
    expected: () =>
      top(
        tally(
          RELATIONS.filter(({ to }) => numberIn(to, 'priority') === 1),
          ({ from }) => from,
        ),
      ),
  },
  {
    name: 'a new person, found again and removed',
    kind: 'small',
    find: `create entities in the knowledge graph; ${OPEN}; delete entities`,
    needs: ['memory.create_entities', 'memory.open_nodes', 'memory.delete_entities'],
    code: `await tools.memory.create_entities({ entities: [{ name: 'zoe', entityType: 'person', observations: ['is new'] }] })
const { entities } = await tools.memory.open_nodes({ names: ['zoe'] })
await tools.memory.delete_entities({ entityNames: ['zoe'] })
return entities[0].observations`,
    expected: () => ['is new'],
  },
  {
    name: 'where one person works',
    kind: 'small',
    find: OPEN,
    needs: ['memory.open_nodes'],
    code: `const { entities } = await tools.memory.open_nodes({ names: ['kofi'] })
return entities[0].observations[0]`,
    expected: () => ENTITIES.find(({ name }) => name === 'kofi')?.observations[0],
  },
  {
    name: 'say something back',
    kind: 'small',
    find: 'echo a message',
    needs: ['everything.echo'],
    code: `return await tools.everything.echo({ message: 'hello' })`,
    expected: () => 'Echo: hello',
  },
  {
    name: 'add three numbers',
    kind: 'small',
    find: 'add two numbers',
    needs: ['everything.get-sum'],
    code: `const sum = async (a, b) => Number(/is (\\d+)/.exec(await tools.everything['get-sum']({ a, b }))[1])
return await sum(await sum(17, 25), 40)`,
    expected: () => 82,
  },
  {
    name: 'add ten numbers',
    kind: 'aggregation',
    find: 'add two numbers',
    needs: ['everything.get-sum'],
    code: `let total = 3
for (const b of [14, 15, 92, 65, 35, 89, 79, 32, 38]) total = Number(/is (\\d+)/.exec(await tools.everything['get-sum']({ a: total, b }))[1])
return total`,
    expected: () => 3 + 14 + 15 + 92 + 65 + 35 + 89 + 79 + 32 + 38,
  },
  {
    name: 'three thoughts in a row',
    kind: 'small',
    find: 'think step by step',
    needs: ['thinking.sequentialthinking'],
    code: `let last
for (const thought of ['look at the data', 'find the outlier', 'explain it']) {
  const thoughtNumber = (last?.thoughtNumber ?? 0) + 1
  last = await tools.thinking.sequentialthinking({ thought, thoughtNumber, totalThoughts: 3, nextThoughtNeeded: thoughtNumber < 3 })
}
return last.thoughtNumber`,
    expected: () => 3,
  },
]
