-- Runs in a Neovim that is configured as docs/editors/neovim.md says; prints what it sees as JSON.
local file, entry = os.getenv("PYPTO_FILE"), os.getenv("PYPTO_ENTRY")
local seen = {}

local function wait(probe) return vim.wait(60000, probe, 20) end

local ok, fault = pcall(function()
  vim.cmd("edit " .. file)
  local source = vim.api.nvim_get_current_buf()
  assert(wait(function() return #vim.diagnostic.get(source) > 0 end), "no diagnostics")
  local found = vim.diagnostic.get(source)[1]
  seen.code = found.code or found.user_data.lsp.code
  local client = vim.lsp.buf_get_clients(source)[next(vim.lsp.buf_get_clients(source))]
  seen.root = client.config.root_dir
  seen.command = client.config.cmd
  vim.cmd("PyptoLowered " .. entry .. " ConvertToSSA")
  assert(wait(function() return vim.api.nvim_get_current_buf() ~= source end), "no lowered document")
  seen.lowered = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  seen.modifiable = vim.bo.modifiable
end)
if not ok then seen.fault = tostring(fault) end
io.stdout:write(vim.fn.json_encode(seen) .. "\n")
vim.cmd("qall!")
