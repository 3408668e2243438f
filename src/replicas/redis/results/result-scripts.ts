import { defineScript } from '../script.ts'

/*
 * Of each server there is a generation: a word that is replaced when something was changed there.
 * A result is kept with the generation it was asked in, and counts only as long as that is the
 * server's. All keys of a server have one hash tag, so that a cluster has them in one place.
 */

const LIFE_OF_A_GENERATION_MS = 86_400_000

/**
 * A fresh result, or else the right to ask for it, unless somebody has that already.
 * KEYS: generation, flight, results. ARGV: a new word, the life of a flight, how long results are
 * kept past their time, and whether the caller wants no result.
 */
export const BOARD = defineScript(`
local generation = redis.call('GET', KEYS[1])
if not generation then
  generation = ARGV[1]
  redis.call('SET', KEYS[1], generation, 'PX', ${LIFE_OF_A_GENERATION_MS})
end
if ARGV[4] == 'refresh' then return {'go', generation} end
for i = 3, #KEYS do
  local left = redis.call('PTTL', KEYS[i]) - ARGV[3]
  if left > 0 then
    local kept = redis.call('GET', KEYS[i])
    if string.sub(kept, 1, #generation) == generation then
      return {'hit', generation, string.sub(kept, #generation + 1), left}
    end
  end
end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'go', generation} end
redis.call('APPEND', KEYS[2], '+')
return {'busy', generation}
`)

/**
 * Ends a flight, with its result where it may be kept. Answers whether anybody waits.
 * KEYS: generation, flight, and the result's if there is one. ARGV: the word of the flight, the
 * generation it began in, the result, how long it is kept.
 */
export const LAND = defineScript(`
if #KEYS > 2 and redis.call('GET', KEYS[1]) == ARGV[2] then
  redis.call('SET', KEYS[3], ARGV[2] .. ARGV[3], 'PX', ARGV[4])
end
local holder = redis.call('GET', KEYS[2])
if not holder or string.sub(holder, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if #holder > #ARGV[1] then return 1 end
return 0
`)

/** Keeps a flight alive. KEYS: flight. ARGV: its word, its life. */
export const FLY_ON = defineScript(`
local holder = redis.call('GET', KEYS[1])
if not holder or string.sub(holder, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** A result past its time. KEYS: generation, result. */
export const STALE = defineScript(`
local generation = redis.call('GET', KEYS[1])
local kept = redis.call('GET', KEYS[2])
if not generation or not kept or string.sub(kept, 1, #generation) ~= generation then return false end
return string.sub(kept, #generation + 1)
`)

/** Everything kept of a server counts no more. KEYS: generation. ARGV: a new word. */
export const FORGET = defineScript(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ${LIFE_OF_A_GENERATION_MS})
return 1
`)
