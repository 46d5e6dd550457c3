from sib import no_such_name
