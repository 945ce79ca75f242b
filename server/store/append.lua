-- Appends an entry to the log of a room, if the log stands where its writer believes it does.
--
-- KEYS[1]  the log, a list; each entry opens with the 8 bytes of its chain
-- ARGV[1]  the room's channel; empty: tell nobody, since its writer will once replicas have got the entry
-- ARGV[2]  the expected version: entries that stand before the new one
-- ARGV[3]  the expected chain: that of the last of them
-- ARGV[4]  the entry
-- ARGV[5]  milliseconds to keep the log for, from now on
-- ARGV[6]  not before this time by the server's clock, in milliseconds since 1970; 0 is at once
--
-- Returns  {outcome, the server's time in milliseconds since 1970, missed entries}, where the outcome is one of
--   ok        written, and told as "e" version ":" entry
--   early     the time has not come: nothing was written
--   conflict  the log stands elsewhere: nothing was written; missed is what stands after the expected place,
--             or empty if the log does not hold that place

local log, version = KEYS[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

if version > 0 then
  local before = redis.call('LINDEX', log, version - 1)
  if not before or before:sub(1, 8) ~= ARGV[3] then
    return {'conflict', now, {}}
  end
end
local missed = redis.call('LRANGE', log, version, -1)
if #missed > 0 then
  return {'conflict', now, missed}
end
if now < tonumber(ARGV[6]) then
  return {'early', now, {}}
end

redis.call('RPUSH', log, ARGV[4])
redis.call('PEXPIRE', log, ARGV[5])
if ARGV[1] ~= '' then
  redis.call('PUBLISH', ARGV[1], string.format('e%d:', version + 1) .. ARGV[4])
end
return {'ok', now, {}}
