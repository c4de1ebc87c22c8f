-- Sends the requests of a file in turn, over and over: each as HTTP has it, after a line with its length in bytes.
-- Placeholders for unique values get a new value each time.
local UNIQUE = '00000000-0000-0000-0000-000000000000'
local requests, places, at, sent = {}, {}, 0, 0
local run

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for length in function() return file:read('*l') end do
    requests[#requests + 1] = file:read(tonumber(length))
    places[#requests] = requests[#requests]:find(UNIQUE, 1, true)
  end
  file:close()
  local random = assert(io.open('/dev/urandom', 'rb'))
  run = random:read(8):gsub('.', function(byte) return string.format('%02x', byte:byte()) end)
  random:close()
  if args[2] == 'look' then response = look end
end

-- A GraphQL answer that is a failure may have the status of a success.
function look(status, headers, body)
  if body:find('"errors":', 1, true) then
    io.stderr:write('A response under load has errors: ' .. body .. '\n')
    os.exit(1)
  end
end

function request()
  at = at % #requests + 1
  local message, place = requests[at], places[at]
  if not place then return message end
  sent = sent + 1
  return message:sub(1, place - 1) .. run .. string.format('%020d', sent) .. message:sub(place + #UNIQUE)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"rejected":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
