# frozen_string_literal: true
begin
  "text" << "more"
rescue => error
  p error.class, error.message
end
p __ENCODING__
