-- Reads messages by the tables above, item by item, as rpcrdma/xdr/tree_builder.py does; opens the
-- opaque fields that another field tells the type of, as rpcrdma/wire/overlays.py does.
-- A message ends where it is not what the types say: `rpcrdma2.refusal` tells octet, field, reason.

local BEGINS_SEND = {[0x00] = true, [0x04] = true, [0x05] = true, [0x17] = true}
-- Opcodes of the packets that begin a Send of a reliable connection (IBA 9.2): First, Only, Only
-- with immediate data, Only with Invalidate.

local HEXADECIMAL = {rdma_xid = true, handle = true, offset = true, xmsi_xid = true}
local FLAGS = {[0] = "FALSE", [1] = "TRUE"}

local proto = Proto("rpcrdma2", "RPC-over-RDMA Version Two")
local opcode = Field.new("infiniband.bth.opcode")
local payload = Dissector.get("rpc")

-- Fields: one filter name for each name in the XDR.

local fields, taken = {}, {}

local function new_field(name, sort, make)
    local key = name .. " " .. sort
    if fields[key] then return end
    assert(not taken[name], name .. " stands for two sorts of items: give one of them another name")
    taken[name] = true
    fields[key] = make("rpcrdma2." .. name)
end

local function sort_of(types, item)
    if item.kind == "integer" then return "integer" .. item.octets end
    if item.kind == "reference" then return sort_of(types, types[item.to]) end
    if item.kind == "enumeration" then return "enumeration " .. item.name end
    return item.kind
end

local function declare(types, name, item)
    local sort = sort_of(types, item)
    local shown = HEXADECIMAL[name] and base.HEX or base.DEC
    if item.kind == "reference" and types[item.to].kind == "enumeration" then
        new_field(name, sort, function(filter)
            return ProtoField.int32(filter, name, base.DEC, types[item.to].members)
        end)
    elseif item.kind == "integer" then
        new_field(name, sort, function(filter)
            local make = item.octets == 8 and ProtoField.uint64 or ProtoField.uint32
            return make(filter, name, shown)
        end)
    elseif item.kind == "boolean" then
        new_field(name, sort, function(filter)
            return ProtoField.uint32(filter, name, base.DEC, FLAGS)
        end)
    elseif item.kind == "opaque" then
        new_field(name, sort, function(filter) return ProtoField.bytes(filter, name) end)
    elseif item.kind == "array" then
        new_field(name .. ".count", "count", function(filter)
            return ProtoField.uint32(filter, name .. " (count)", base.DEC)
        end)
        declare(types, name, item.element)
    elseif item.element then
        declare(types, name, item.element)
    end
end

local schemas = {}
for _, document in ipairs(DOCUMENTS) do
    local types = {}
    for _, item in ipairs(document.types) do types[item.name] = item end
    schemas[document.name] = types
    for _, item in ipairs(document.types) do
        if item.kind == "union" then declare(types, item.tag.name, item.tag.type) end
        local groups = {item}
        for _, arm in pairs(item.arms or {}) do groups[#groups + 1] = arm end
        if item.default then groups[#groups + 1] = item.default end
        for _, group in ipairs(groups) do
            for _, field in ipairs(group.fields or {}) do
                declare(types, field.name, field.type)
            end
        end
    end
end

local refusal = ProtoField.string("rpcrdma2.refusal", "Refused")
local malformed = ProtoExpert.new(
    "rpcrdma2.malformed", "Not what the XDR says", expert.group.MALFORMED, expert.severity.ERROR
)
local all = {refusal}
for _, field in pairs(fields) do all[#all + 1] = field end
proto.fields = all
proto.experts = {malformed}

-- Reading: `state` has the octets, the position, where they end, and the first refusal.

local function refuse(at, path, reason)
    error({at = at, path = path, reason = reason}, 0)
end

local function word(state, path)
    if state.at + 4 > state.size then refuse(state.at, path, REASON.TRUNCATED) end
    state.at = state.at + 4
    return state.octets(state.at - 4, 4):uint()
end

local function member(state, path)
    word(state, path)
    return state.octets(state.at - 4, 4):int()  -- an enumeration is signed (rfc4506 4.3)
end

local function flag(state, path)
    local value = word(state, path)
    if value > 1 then refuse(state.at - 4, path, REASON.BAD_BOOLEAN) end
    return value
end

local function count(state, path, maximum, least)
    local value = word(state, path)
    if value > maximum then refuse(state.at - 4, path, REASON.TOO_LONG) end
    if value * least > state.size - state.at then
        refuse(state.at - 4, path, REASON.TRUNCATED)
    end
    return value
end

local function last_name(path)
    return (path:gsub("%[%d+%]", ""):match("[^.]*$"))
end

local read  -- defined below: types contain one another

local function read_fields(state, types, group, path, tree)
    local values = {}
    for _, field in ipairs(group.fields) do
        local inner = path == "" and field.name or path .. "." .. field.name
        values[field.name] = read(state, types, field.type, inner, tree, values, group.name)
    end
end

local function read_structure(state, types, item, path, tree)
    local start = state.at
    local branch = tree
    if path ~= "" then
        branch = tree:add(state.octets(start), last_name(path) .. ": " .. item.name)
    end
    local good, fault = pcall(function()
        read_fields(state, types, item, path, branch)
    end)
    if path ~= "" then branch:set_len(state.at - start) end
    if not good then error(fault, 0) end
end

local function read_union(state, types, item, path, tree)
    local start = state.at
    local branch = tree:add(state.octets(math.min(start, state.size - 1)), last_name(path))
    local good, fault = pcall(function()
        local inner = path == "" and item.tag.name or path .. "." .. item.tag.name
        local members = types[item.tag.type.to].members
        local number = member(state, inner)
        if not members[number] then refuse(start, inner, REASON.BAD_ENUM) end
        local arm = item.arms[number] or item.default
        if not arm then refuse(start, inner, REASON.BAD_DISCRIMINANT) end
        local sort = sort_of(types, item.tag.type)
        branch:add(fields[item.tag.name .. " " .. sort], state.octets(start, 4))
        branch:append_text(": " .. members[number])
        if path == "rdma_body" then state.arm = arm.name; state.gist = members[number] end
        read_fields(state, types, arm, path, branch)
    end)
    branch:set_len(state.at - start)
    if not good then error(fault, 0) end
end

local function read_overlay(state, overlay, row, start, length, path, branch)
    if length == 0 and overlay.empty_is_default then
        branch:append_text(" (default of " .. row.constant .. ")")
        return
    end
    local outer_at, outer_size = state.at, state.size
    state.at, state.size = start, start + length
    local types = schemas[row.document]
    local contents = types[row.contents]
    local good, fault = pcall(function()
        read_fields(state, types, contents, path, branch)
        if state.at < state.size then refuse(state.at, path, REASON.TRAILING) end
    end)
    state.at, state.size = outer_at, outer_size
    if not good then
        if type(fault) ~= "table" then error(fault, 0) end
        state.fault = state.fault or fault
    end
end

local function read_opaque(state, item, path, tree, values, owner)
    local length = count(state, path, item.maximum, 1)
    local start, padding = state.at, -length % 4
    if start + length + padding > state.size then refuse(start, path, REASON.TRUNCATED) end
    for at = start + length, start + length + padding - 1 do
        if state.octets(at, 1):uint() ~= 0 then
            refuse(start + length, path, REASON.BAD_PADDING)
        end
    end
    state.at = start + length + padding
    local field = fields[last_name(path) .. " opaque"]
    local branch
    if length > 0 then
        branch = tree:add(field, state.octets(start, length))
    else
        branch = tree:add(state.octets(start - 4, 4), last_name(path) .. ": empty")
    end
    local overlay = OVERLAYS[owner]
    if overlay and last_name(path) == overlay.opaque then
        local row = overlay.rows[values[overlay.selector]]
        if row then
            branch:append_text(" (" .. row.constant .. ")")
            if owner == "Rdma2Optional" then state.gist, state.option = row.constant, row end
            read_overlay(state, overlay, row, start, length, path, branch)
        end
    end
end

function read(state, types, item, path, tree, values, owner)
    local start, name = state.at, last_name(path)
    if item.kind == "reference" then
        local target = types[item.to]
        if target.kind == "structure" then
            return read_structure(state, types, target, path, tree)
        elseif target.kind == "union" then
            return read_union(state, types, target, path, tree)
        end
        local value = member(state, path)
        if not target.members[value] then refuse(start, path, REASON.BAD_ENUM) end
        tree:add(fields[name .. " " .. sort_of(types, item)], state.octets(start, 4))
        return value
    elseif item.kind == "integer" then
        if start + item.octets > state.size then refuse(start, path, REASON.TRUNCATED) end
        state.at = start + item.octets
        tree:add(fields[name .. " integer" .. item.octets], state.octets(start, item.octets))
        return item.octets == 4 and state.octets(start, 4):uint() or nil
    elseif item.kind == "boolean" then
        flag(state, path)
        tree:add(fields[name .. " boolean"], state.octets(start, 4))
    elseif item.kind == "opaque" then
        read_opaque(state, item, path, tree, values, owner)
    elseif item.kind == "array" then
        local number = count(state, path, item.maximum, item.least)
        tree:add(fields[name .. ".count count"], state.octets(start, 4))
        for index = 0, number - 1 do
            read(state, types, item.element, path .. "[" .. index .. "]", tree, values, owner)
        end
    elseif item.kind == "list" then
        local index = 0
        while flag(state, path .. "[" .. index .. "]") == 1 do
            read(state, types, item.element, path .. "[" .. index .. "]", tree, values, owner)
            index = index + 1
        end
    elseif item.kind == "optional" then
        if flag(state, path) == 1 then
            read(state, types, item.element, path, tree, values, owner)
        end
    end
end

local function dissect(octets, pinfo, tree)
    local branch = tree:add(proto, octets())
    local state = {octets = octets, at = 0, size = octets:len()}
    local header = schemas[HEADER.document][HEADER.contents]
    local good, fault = pcall(read_structure, state, schemas[HEADER.document], header, "", branch)
    if not good then
        if type(fault) ~= "table" then error(fault, 0) end
        state.fault = fault
    end
    branch:set_len(state.at)
    pinfo.cols.protocol:set("RPCoRDMA2")
    pinfo.cols.info:set(state.gist or "no procedure")
    if state.fault then
        local why = state.fault
        local text = string.format("octet %d: %s: %s", why.at, why.path, why.reason)
        branch:add(refusal, text):set_generated()
        branch:add_proto_expert_info(malformed, text)
        return
    end
    local begins = HEADER.with_payload[state.arm] or state.option and state.option.begins_rpc
    if begins and state.at < octets:len() then
        payload:call(octets(state.at):tvb(), pinfo, tree)
    end
end

proto:register_heuristic("infiniband.payload", function(octets, pinfo, tree)
    local seen = opcode()
    if not seen or not BEGINS_SEND[seen.value] then return false end
    if octets:len() < 8 or octets(4, 4):uint() ~= HEADER.version then return false end
    dissect(octets, pinfo, tree)
    return true
end)
