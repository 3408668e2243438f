import { defineScript } from '../script.ts'

/*
 * Each server has a generation: a random value that is replaced when something was changed there.
 * A result is stored with the generation in which it was requested, and is valid only while that is
 * the server's current one. All keys of a server have one hash tag, so that they are on one node of
 * a cluster.
 */

const LIFE_OF_A_GENERATION_MS = 86_400_000

/**
 * Returns a fresh cached result ('hit'), or the claim to fetch it ('go'), or 'busy' if another
 * caller holds the claim. KEYS: generation, flight, results. ARGV: a new random value, the lifetime
 * of a flight, how long results are kept after they expire, and 'refresh' to skip cached results.
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
 * Ends a flight and stores its result if it may be kept. Returns 1 if another caller waits, else 0.
 * KEYS: generation, flight, and the result's if there is one. ARGV: the flight's random value, the
 * generation in which it began, the result, how long it is kept.
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

/** Renews a flight. KEYS: flight. ARGV: its random value, its lifetime. */
export const FLY_ON = defineScript(`
local holder = redis.call('GET', KEYS[1])
if not holder or string.sub(holder, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** Returns a result even if it is expired. KEYS: generation, result. */
export const STALE = defineScript(`
local generation = redis.call('GET', KEYS[1])
local kept = redis.call('GET', KEYS[2])
if not generation or not kept or string.sub(kept, 1, #generation) ~= generation then return false end
return string.sub(kept, #generation + 1)
`)

/** Invalidates all results of a server. KEYS: generation. ARGV: a new random value. */
export const FORGET = defineScript(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ${LIFE_OF_A_GENERATION_MS})
return 1
`)
