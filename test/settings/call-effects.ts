import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '../../src/base/json/json.ts'
import { type Effects, beside, effect } from './effect.ts'
import { type Toy, type Wanted, type Who, openToy } from './open-toy.ts'

type Env = Record<string, string>

/** What some calls of a fresh gateway answer. */
const calls =
  (what: (toy: Toy) => Promise<unknown>, wanted: Wanted = {}) =>
  async (env: Env) =>
    what(await openToy(env, wanted))

/** Two calls, one after the other, with a pause in which a very short time passes. */
const twice = (tool: string, who: readonly [Who, Who] = [{}, {}]) =>
  calls(async ({ call }) => {
    const first = await call(tool, {}, who[0])
    await wait(30)
    return [first, await call(tool, {}, who[1])]
  })

const once = (tool: string, args: JsonObject = {}, who: Who = {}) =>
  calls(async ({ call }) => call(tool, args, who))

const listed = (tool: string, who: Who = {}) =>
  calls(async ({ list }) => (await list(who)).includes(tool))

/** How much of a result of a hundred rows an agent gets to see. */
const rows = (who: Who = {}, wanted: Wanted = {}) =>
  calls(async ({ call }) => partOf(await call('toy__rows', {}, who)), wanted)

const partOf = (text: string) => (text.includes('row 50') ? 'all' : 'a part')

const table = { rows: Array.from({ length: 40 }, (_, id) => ({ id, score: id })) }

/** A table as it is shown. */
const shown = (read: (text: string) => unknown) =>
  calls(async ({ call }) => read(await call('toy__echo', { text: JSON.stringify(table) })))

const KEPT = { PORTOLAN_CACHE_READ_ONLY: 'true' }
const ADA = { agent: 'ada' }

/** What agents see, and how much of it. */
export const CONTEXT: Effects = {
  surface: effect('direct', listed('count'), [false, true]),
  pins: effect('toy.count', listed('count'), [false, true]),
  agents: effect('{"ada":{"surface":"direct"}}', listed('count', ADA), [false, true]),
  'agents.<id>.surface': effect(
    '{"bob":{"surface":"direct"}}',
    calls(async ({ list }) => [
      (await list(ADA)).includes('count'),
      (await list({ agent: 'bob' })).includes('count'),
    ]),
    [
      [false, false],
      [false, true],
    ],
  ),
  'agents.<id>.maxTokens': effect('{"ada":{"maxTokens":200}}', rows(ADA), ['all', 'a part']),
  'agents.<id>.ratePerMinute': effect(
    '{"ada":{"ratePerMinute":1}}',
    twice('toy__count', [ADA, ADA]),
    [
      ['1', '2'],
      ['1', 'RATE_LIMITED'],
    ],
  ),
  'agents.<id>.pins': effect('{"ada":{"pins":["toy.count"]}}', listed('count', ADA), [false, true]),
  'budgets.maxTokens': effect('200', rows(), ['all', 'a part']),
  'budgets.tools': effect('{"toy.*":{"maxTokens":200}}', rows(), ['all', 'a part']),
  'budgets.tools.<id>.maxTokens': effect('{"toy.rows":{"maxTokens":200}}', rows(), [
    'all',
    'a part',
  ]),
  'budgets.tools.<id>.keep': effect(
    '{"toy.echo":{"maxTokens":300,"keep":["id"]}}',
    shown((text) => [text.includes('"id"'), text.includes('"score"')]),
    [
      [true, true],
      [true, false],
    ],
  ),
  'budgets.tools.<id>.omit': effect(
    '{"toy.echo":{"maxTokens":300,"omit":["id"]}}',
    shown((text) => [text.includes('"id"'), text.includes('"score"')]),
    [
      [true, true],
      [false, true],
    ],
  ),
  'budgets.tools.<id>.top': effect(
    '{"toy.echo":{"maxTokens":300,"top":[{"field":"rows","by":"score","count":2}]}}',
    shown((text) => (text.match(/"score"/g) ?? []).length),
    [40, 2],
  ),
  debug: effect(
    'true',
    calls(async ({ call }) =>
      (await call('get_gateway_status', {}, { surface: 'discover' })).includes('config_paths'),
    ),
    [false, true],
  ),
}

/** How often, how long and how many at once. */
export const LIMITS: Effects = {
  'limits.ratePerMinute': effect('1', twice('toy__count'), [
    ['1', '2'],
    ['1', 'RATE_LIMITED'],
  ]),
  'limits.burst': effect(
    '1',
    beside({ PORTOLAN_LIMITS_RATE_PER_MINUTE: '5' }, twice('toy__count')),
    [
      ['1', '2'],
      ['1', 'RATE_LIMITED'],
    ],
  ),
  'deadlines.callMs': effect('20', once('toy__wait', { ms: 300 }), ['waited', 'TIMEOUT']),
  'deadlines.callerMaxMs': effect(
    '20',
    beside(
      { PORTOLAN_DEADLINES_CALL_MS: '10' },
      once(
        'execute_tool',
        { server: 'toy', tool: 'wait', args: { ms: 300 }, timeout_ms: 60_000 },
        { surface: 'discover' },
      ),
    ),
    ['waited', 'TIMEOUT'],
  ),
  'deadlines.tools': effect('{"toy.wait":20}', once('toy__wait', { ms: 300 }), [
    'waited',
    'TIMEOUT',
  ]),
  'breaker.failures': effect('1', twice('toy__unreachable'), [
    ['SERVER_UNAVAILABLE', 'SERVER_UNAVAILABLE'],
    ['SERVER_UNAVAILABLE', 'CIRCUIT_OPEN'],
  ]),
  'cache.enabled': effect('false', beside(KEPT, twice('toy__count')), [
    ['1', '1'],
    ['1', '2'],
  ]),
  'cache.readOnly': effect('true', twice('toy__count'), [
    ['1', '2'],
    ['1', '1'],
  ]),
  'cache.ttlMs': effect('1', beside(KEPT, twice('toy__count')), [
    ['1', '1'],
    ['1', '2'],
  ]),
  'cache.staleMs': effect(
    '60000',
    beside({ ...KEPT, PORTOLAN_CACHE_TTL_MS: '1' }, twice('toy__once')),
    [
      ['an answer', 'SERVER_UNAVAILABLE'],
      ['an answer', 'an answer'],
    ],
  ),
  'cache.tools': effect('{"toy.count":{}}', twice('toy__count'), [
    ['1', '2'],
    ['1', '1'],
  ]),
  'cache.tools.<id>.ttlMs': effect('{"toy.count":{"ttlMs":0}}', beside(KEPT, twice('toy__count')), [
    ['1', '1'],
    ['1', '2'],
  ]),
  'cache.tools.<id>.shared': effect(
    '{"toy.count":{"shared":true}}',
    beside(KEPT, twice('toy__count', [ADA, { agent: 'bob' }])),
    [
      ['1', '2'],
      ['1', '1'],
    ],
  ),
}
