#!/usr/bin/env ruby -w
unused = 1
X = 1
X = 2
def twice; end
def twice; end
p $VERBOSE, Warning[:deprecated], $;
