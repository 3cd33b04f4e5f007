-- Posts one AdmissionReview again and again; what the run measured is written as one line of JSON.
-- Arguments: the file of the review, and where pods shall differ the text to write counted numbers in place of.

local body, varied, number

local function replaced(text, old, new)
  return (text:gsub(old, new))
end

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  body, varied, number = file:read("*a"), arguments[2], 0
  file:close()
  wrk.method = "POST"
  wrk.body = body
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  if varied then
    number = number + 1
    return wrk.format(nil, nil, nil, replaced(body, varied, tostring(tonumber(varied) + number)))
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
