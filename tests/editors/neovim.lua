-- The server under Neovim's built-in client: diagnostics, hover, code actions. Prints "N passed, N failed".
local root = os.getenv("PYPTO_ROOT")
local python = os.getenv("PYPTO_PYTHON")
local passed, failed = 0, 0

local function check(name, run)
  local ok, err = pcall(run)
  if ok then passed = passed + 1 else failed = failed + 1 end
  io.stdout:write((ok and "ok   " or "FAIL ") .. name .. (ok and "" or ": " .. tostring(err)) .. "\n")
end

local function attach(file)
  vim.cmd("edit " .. file)
  local id = vim.lsp.start_client({ name = "pypto", cmd = { python, "-m", "pypto_lsp", "serve" }, root_dir = root })
  vim.lsp.buf_attach_client(0, id)
  assert(vim.wait(60000, function() local c = vim.lsp.get_client_by_id(id); return c and c.initialized end, 20), "the server did not start")
  return vim.api.nvim_get_current_buf()
end

local function diagnostics(buffer)
  vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 20)
  return vim.diagnostic.get(buffer)
end

local function position(buffer, text, offset)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then return { line = row - 1, character = at - 1 + (offset or 0) } end
  end
  error("no line with " .. text)
end

local function request(buffer, method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}) do
    if answer.result then return answer.result end
  end
end

local wrong = attach(root .. "/docs/samples/wrong_column_peak.py")
check("diagnostics carry the code", function()
  local found = diagnostics(wrong)[1]
  assert(found.code == "aiv-reduce-split-axis" or (found.user_data and found.user_data.lsp.code == "aiv-reduce-split-axis"), vim.inspect(found))
end)

local sound = attach(root .. "/docs/samples/scaled_product.py")
check("hover shows the lanes", function()
  local place = { textDocument = { uri = vim.uri_from_bufnr(sound) }, position = position(sound, "scaled = pl.mul", 1) }
  local hover
  -- A hover does not wait for the lowering, from which the lanes come.
  local found = vim.wait(60000, function()
    hover = request(sound, "textDocument/hover", place)
    return hover and hover.contents.value:find("per lane", 1, true) ~= nil
  end, 100)
  assert(found, vim.inspect(hover))
end)
check("raw requests answer the lowered text", function()
  local query = vim.fn.json_encode({ uri = vim.uri_from_bufnr(sound), entry = "ScaledProduct", ["pass"] = "LowerAutoVectorSplit" })
  local answer = request(sound, "workspace/textDocumentContent", { uri = "pypto-ir:/ScaledProduct.LowerAutoVectorSplit.pypto-ir?" .. query })
  assert(answer and answer.text:find("aiv_shard", 1, true), vim.inspect(answer))
end)

local fixable = attach(root .. "/tests/editors/fixable.py")
check("a code action repairs the kernel", function()
  local found = diagnostics(fixable)[1]
  local range = { start = { line = found.lnum, character = found.col }, ["end"] = { line = found.end_lnum, character = found.end_col } }
  local actions = request(fixable, "textDocument/codeAction", { textDocument = { uri = vim.uri_from_bufnr(fixable) }, range = range, context = { diagnostics = {} } })
  local fix
  for _, action in ipairs(actions) do
    if not action.title:find("^Ignore") then fix = fix or action end
  end
  assert(fix, "no fix offered")
  if not fix.edit then fix = request(fixable, "codeAction/resolve", fix) end
  vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
  assert(vim.wait(60000, function() return #vim.diagnostic.get(fixable, { severity = vim.diagnostic.severity.ERROR }) == 0 end, 20), vim.inspect(vim.diagnostic.get(fixable)))
end)

io.stdout:write(passed .. " passed, " .. failed .. " failed\n")
vim.cmd(failed == 0 and "qall!" or "cquit!")
