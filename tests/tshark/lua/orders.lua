-- Dissectors for payloads of Event Trace Logs, in each of the ways that the etl plugin offers:
--
--   tshark -X lua_script:orders.lua -r trace.etl
--
-- A payload goes to the first of these that takes it (returns how many bytes it took, more than 0); nobody: the
-- plugin decodes it itself. The table "etl.provider", all events of a provider, is for C alone: no Wireshark up to 4.6
-- finds what Lua adds to a table of GUIDs. All fields of the event are there: Field.new("etl.pid").

local orders = Proto("orders", "Contoso orders")
local count = ProtoField.uint32("orders.count", "Count")
local by = ProtoField.string("orders.by", "Found by")
orders.fields = { count, by }

local pid = Field.new("etl.pid")

local function dissect(way)
    return function(tvb, pinfo, tree)
        if tvb:len() < 4 then
            return 0
        end
        local branch = tree:add(orders, tvb())
        branch:add_le(count, tvb(0, 4))
        branch:add(by, way):set_generated()
        pinfo.cols.info = "Order of " .. tvb(0, 4):le_uint() .. " by process " .. tostring(pid())
        return tvb:len()
    end
end

-- A table wants a Proto; only the first has fields.
local function dissector(way)
    local proto = Proto("orders_" .. way, "Contoso orders by " .. way)
    proto.dissector = dissect(way)
    return proto
end

-- 1. An event by "provider/id/version", the GUID in lower case: works in every version of Wireshark.
DissectorTable.get("etl.event"):add("6f1d2b10-0a01-4a5e-9c3b-0000c0ffee09/1/0", dissector("event"))

-- 2. Kernel events by hook id: group * 256 + type. This one is a context switch.
DissectorTable.get("etl.hookid"):add(0x0524, dissector("hookid"))

-- 3. Whatever looks like one: returns true if it does.
orders:register_heuristic("etl.payload", function(tvb, pinfo, tree)
    if tvb:len() ~= 4 or tvb(0, 4):le_uint() ~= 43 then
        return false
    end
    return dissect("looks")(tvb, pinfo, tree) > 0
end)
