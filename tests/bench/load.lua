-- Posts one AdmissionReview again and again; what the run measured is written as one line of JSON.
-- Arguments: the file of the review, and where pods shall differ the number in it to count on from.

local body, varied, number

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  body, varied = file:read("*a"), arguments[2]
  number = os.time() % 600 * 100000 -- other pods than in the run before
  file:close()
  wrk.method = "POST"
  wrk.body = body
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  if varied then
    number = number + 1
    local other = body:gsub(varied, string.format("%d", tonumber(varied) + number))
    return wrk.format(nil, nil, nil, other)
  end
  return wrk.format()
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '{"p50": %d, "p99": %d, "requests": %d, "microseconds": %d, "failed": %d}\n',
    latency:percentile(50), latency:percentile(99), summary.requests, summary.duration, failed))
end
