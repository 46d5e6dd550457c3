# Does nothing, but reads its input as a bot would: Joust times it.

function read_request(request)
    if isdir(request)
        for path in readdir(request; join = true)
            isfile(path) && read(path, String)
        end
    else
        split(request, '\n')
    end
end

read_request(isempty(ARGS) ? "" : last(ARGS))
println("NO")
