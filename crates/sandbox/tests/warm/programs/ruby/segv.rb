require "fiddle"
trap("SEGV", "SYSTEM_DEFAULT") rescue p $!.message
Process.kill("ABRT", $$)
sleep 5
